import { retryAfterMs } from '@waymark/webhook/http/retry-after';
import { nextDueAt } from '@waymark/webhook/dispatch/retry-schedule';

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
])('a Retry-After of %j is read as %p ms', (header, expected) => {
  const waitMs = retryAfterMs(header, Date.parse('2026-01-31T12:00:00Z'));
  if (expected === null) expect(waitMs ?? 0).toBe(0);
  else expect(waitMs).toBeCloseTo(expected, -19);
});
