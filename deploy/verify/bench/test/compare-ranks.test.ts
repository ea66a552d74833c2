import { compareRanks } from '@waymark/bench/accounts/compare-ranks';

test('compareRanks finds no difference between equal samples', () => {
  expect(compareRanks([1, 2, 3], [1, 2, 3])).toEqual({ probability: 0.5, z: 0 });
});

test('compareRanks finds that every value of a sample exceeds those of the other one', () => {
  expect(compareRanks([7, 8, 9], [1, 2]).probability).toBe(1);
  expect(compareRanks([1, 2], [7, 8, 9]).probability).toBe(0);
});

test('compareRanks counts exceeding pairs, and equal ones half', () => {
  const [first, second] = [
    [2, 5, 5, 8],
    [1, 5, 6, 2],
  ];
  const pairs = first.flatMap((a) => second.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  const share = pairs.reduce<number>((sum, pair) => sum + pair, 0) / pairs.length;
  expect(compareRanks(first, second).probability).toBe(share);
});

test('compareRanks measures the distance from chance in standard deviations', () => {
  // Without equal values: U = 25 of 30, mean 15, variance 5 * 6 * 12 / 12 = 30.
  const { probability, z } = compareRanks([3, 7, 9, 10, 11], [1, 2, 4, 5, 6, 8]);
  expect(probability).toBeCloseTo(25 / 30, 10);
  expect(z).toBeCloseTo(10 / Math.sqrt(30), 10);
});
