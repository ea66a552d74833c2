import { retryAfterMs } from '@waymark/webhook/http/post-message';
import { nextDueAt } from '@waymark/webhook/dispatch/outcome-writer';

const PAUSES = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
const failedAt = new Date();
const waitOf = (attemptNumber: number, retryAfterMs: number | null = null) =>
  nextDueAt(PAUSES, { attemptNumber, failedAt, retryAfterMs })!.getTime() - failedAt.getTime();

test('each pause is stretched or shortened by a fifth at most, and seldom twice alike', () => {
  for (const [index, pause] of PAUSES.entries()) {
    const waits = Array.from({ length: 200 }, () => waitOf(index + 1));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(pause * 800);
    expect(Math.max(...waits)).toBeLessThanOrEqual(pause * 1200);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(pause * 200);
  }
});

test('no attempt follows the last one, for any Retry-After', () => {
  for (const retryAfterMs of [null, 1000]) {
    expect(nextDueAt(PAUSES, { attemptNumber: PAUSES.length + 1, failedAt, retryAfterMs })).toBeNull();
  }
});

test('a receiver can ask for a longer pause, up to a day, and never for a shorter one', () => {
  expect(waitOf(1, 3_600_000)).toBe(3_600_000);
  expect(waitOf(1, 10 * 365 * 86_400_000)).toBe(86_400_000);
  expect(waitOf(2, 0)).toBeGreaterThanOrEqual(240_000);
});

test.each([
  ['30', 30_000],
  ['30 ', 30_000],
  ['\t30\t', 30_000],
  ['9'.repeat(30), 1e33],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['3600.5', null],
  ['120.0', null],
  ['30s', null],
  ['+30', null],
  ['60, 120', null],
  ['2026-01-31 12:30', null],
  ['2026-01-31T12:30:00Z', null],
  ['Sat, 31 Jan 2026 12:30:00 +0000', null],
  ['31 Jan 2027', null],
  ['Sat, 31 Jan 2026 12:30:00 GMT', 1_800_000],
  ['Saturday, 31-Jan-26 12:30:00 GMT', 1_800_000],
  ['Sun Feb  1 12:00:00 2026', 86_400_000],
  ['Sat Jan 31 12:30:00 2026', 1_800_000],
  ['Fri, 30 Jan 2026 12:30:00 GMT', 0],
])('a Retry-After of %j is read as %p ms', (header, expected) => {
  const waitMs = retryAfterMs(header, Date.parse('2026-01-31T12:00:00Z'));
  if (expected === null) expect(waitMs).toBeNull();
  else expect(waitMs).toBeCloseTo(expected, -19);
});
