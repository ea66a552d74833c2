import fc from 'fast-check';
import { scansIn, visitorsIn } from '@waymark/analytics/rollups/pieces';
import { decodeRows, encodeRows, IDS_MAX, rowKey, Rows, sumOfRows } from '@waymark/analytics/rollups/rows';
import { RowSums } from '@waymark/analytics/rollups/row-sums';
import { SEGMENTS } from '@waymark/analytics/rollups/segments';
import { Vocabulary, wordOf } from '@waymark/analytics/rollups/vocabulary';

type Entry = [key: number, scans: number, firsts: number, lasts: number];

const count = fc.integer();
const key = (quarters: number) =>
  fc
    .tuple(...[IDS_MAX, IDS_MAX, SEGMENTS, quarters].map((max) => fc.nat({ max: max - 1 })))
    .map(([campaign, value, segment, quarter]) => rowKey(campaign!, value!, segment!, quarter!));
const entries = (quarters: number) => fc.array(fc.tuple(key(quarters), count, count, count));

function rowsWith(list: Entry[]): Rows {
  const rows = new Rows();
  for (const entry of list.toSorted(([a], [b]) => a - b)) rows.add(...entry);
  return rows;
}

function entriesOf(rows: Rows): Entry[] {
  const list: Entry[] = [];
  rows.each((...entry) => list.push(entry));
  return list;
}

test('rows are read as they were written, by quarter-hours', () => {
  fc.assert(
    fc.property(entries(96), (list) => {
      const rows = rowsWith(list);
      expect(entriesOf(decodeRows(encodeRows(rows, 'quarter'), 'quarter'))).toEqual(entriesOf(rows));
    }),
  );
});

test('rows are read as they were written, by days', () => {
  fc.assert(
    fc.property(entries(1), (list) => {
      const rows = rowsWith(list.map(([at, scans, firsts]) => [at, scans, firsts, 0]));
      expect(entriesOf(decodeRows(encodeRows(rows, 'day'), 'day'))).toEqual(entriesOf(rows));
    }),
  );
});

test('rows add up, and what is taken away from itself leaves nothing', () => {
  fc.assert(
    fc.property(entries(96), entries(96), (some, others) => {
      const sum = sumOfRows(rowsWith(some), rowsWith(others));
      expect(entriesOf(sum)).toEqual(entriesOf(rowsWith([...some, ...others])));
      expect(entriesOf(sumOfRows(sum, rowsWith([...others, ...some]), -1))).toEqual([]);
    }),
  );
});

test('single things add up to the same rows however many there are', () => {
  const sums = new RowSums(2);
  const THINGS = 200_000;
  for (let thing = 0; thing < THINGS; thing += 1) {
    sums.addScan(thing % 2, 7 + (thing % 5));
    sums.addVisitor(1, 7, 8, thing % 4 === 0 ? -1 : 1);
  }
  const ofEach = THINGS / 10;
  expect(entriesOf(sums.rows[0]!)).toEqual([7, 8, 9, 10, 11].map((at) => [at, ofEach, 0, 0]));
  const visitors = THINGS / 2;
  expect(entriesOf(sums.rows[1]!).slice(0, 3)).toEqual([
    [7, ofEach, visitors, 0],
    [8, ofEach, 0, visitors],
    [9, ofEach, 0, 0],
  ]);
});

test('a usual row takes five bytes', () => {
  const rows = new Rows();
  for (let value = 0; value < 1000; value += 1) rows.add(rowKey(0, value, 6, 40), 50, 30, 30);
  expect(encodeRows(rows, 'quarter').length).toBeLessThanOrEqual(5000 + 2);
});

test('a piece within a day counts who had come and had not left', () => {
  const piece = { day: 0, from: 10, to: 20, of: 0 };
  const row = { campaign: 0, value: 0, segment: 0, quarter: 5, scans: 7, firsts: 3, lasts: 2 };
  expect([visitorsIn(piece, row), scansIn(piece, row)]).toEqual([1, 0]);
  expect([visitorsIn(piece, { ...row, quarter: 12 }), scansIn(piece, { ...row, quarter: 12 })]).toEqual([3, 7]);
  expect(visitorsIn(piece, { ...row, quarter: 20 })).toBe(0);
});

test('what a full vocabulary has no number for is told as other', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `host${index}.example`);
  const vocabulary = new Vocabulary({ referrer: words });
  expect(vocabulary.idOf('referrer', 'host9999.example')).toBe(10_000);
  expect(wordOf(words, vocabulary.idOf('referrer', 'one.more.example'))).toBe('other');
  expect(vocabulary.added).toEqual({});
  expect(wordOf(words, 1)).toBe('host0.example');
});
