import { dateOf, dayNumber, localDate } from '@waymark/analytics/time/local-days';

test('today is the local date', () => {
  const at = new Date('2026-03-01T20:00:00.000Z');
  expect(localDate('UTC', at)).toBe('2026-03-01');
  expect(localDate('Asia/Tokyo', at)).toBe('2026-03-02');
  expect(localDate('America/Los_Angeles', new Date('2026-03-01T02:00:00.000Z'))).toBe('2026-02-28');
});

test('a day and its date are the same in both directions', () => {
  for (const date of ['1970-01-01', '2024-02-29', '2026-12-31']) expect(dateOf(dayNumber(date))).toBe(date);
  expect(dayNumber('1970-01-02')).toBe(1);
});
