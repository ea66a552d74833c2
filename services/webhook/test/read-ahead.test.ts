import type { Attempt } from '@waymark/webhook/deliveries/attempt';
import { ReadAhead } from '@waymark/webhook/dispatch/read-ahead';

const attemptsOf = (count: number, body = 'x'.repeat(10)) => Array.from({ length: count }, () => ({ body }) as Attempt);

test('one workspace fills at most a quarter, and the others still read ahead', () => {
  const readAhead = new ReadAhead(400);
  expect(readAhead.addAttempts(['greedy'], attemptsOf(160), 0)).toHaveLength(10);
  expect(readAhead.addAttempts(['greedy'], attemptsOf(160), 0)).toHaveLength(0);
  expect([readAhead.isFullFor(['greedy']), readAhead.isFullFor(['modest'])]).toEqual([true, false]);
  expect(readAhead.addAttempts(['modest'], attemptsOf(5), 0)).toHaveLength(5);
  expect(readAhead.bytes).toBe(150);
});

test('the workspaces of one user fill at most a quarter together', () => {
  const readAhead = new ReadAhead(400);
  for (const workspace of ['a', 'b', 'c']) readAhead.addAttempts([workspace, 'mallory'], attemptsOf(5), 0);
  expect(readAhead.bytes).toBe(100);
  expect(readAhead.isFullFor(['d', 'mallory'])).toBe(true);
  expect(readAhead.isFullFor(['a', 'alice'])).toBe(false);
});

test('the total limits all workspaces together, and each still takes as many as it needs to continue', () => {
  const readAhead = new ReadAhead(400);
  for (const workspace of ['a', 'b', 'c', 'd']) readAhead.addAttempts([workspace], attemptsOf(160), 0);
  expect(readAhead.bytes).toBe(400);
  expect(readAhead.isFullFor(['e'])).toBe(true);
  expect(readAhead.addAttempts(['e'], attemptsOf(160), 1)).toHaveLength(1);
});

test('twice the total is never exceeded by more than one body, nor by one tenant twice its quarter', () => {
  const readAhead = new ReadAhead(400);
  for (let i = 0; i < 100; i += 1) readAhead.addAttempts(['greedy', 'mallory'], attemptsOf(1), 1);
  expect(readAhead.bytes).toBe(200);
  for (let i = 0; i < 100; i += 1) readAhead.addAttempts([`workspace-${i}`], attemptsOf(1), 1);
  expect(readAhead.bytes).toBe(800);
  expect(readAhead.isExhaustedFor(['another'])).toBe(true);
});

test('counts two bytes for each character of a text that V8 stores so', () => {
  const readAhead = new ReadAhead(400);
  const texts = attemptsOf(1, `${'x'.repeat(9)}–`);
  readAhead.addAttempts(['text'], texts, 0);
  expect(readAhead.bytes).toBe(20);
  readAhead.removeAttempts(['text'], texts);
  expect(readAhead.bytes).toBe(0);
});

test('counts the bytes of a body, not its characters', () => {
  const readAhead = new ReadAhead(400);
  readAhead.addAttempts(['text'], attemptsOf(1, '日本語'), 0);
  expect(readAhead.bytes).toBe(9);
});

test('removed attempts make room again for their workspace', () => {
  const readAhead = new ReadAhead(400);
  const added = readAhead.addAttempts(['greedy'], attemptsOf(10), 0);
  readAhead.removeAttempts(['greedy'], added.slice(1));
  expect([readAhead.isFullFor(['greedy']), readAhead.bytes]).toEqual([false, 10]);
  readAhead.removeAttempts(['greedy'], added.slice(0, 1));
  expect(readAhead.bytes).toBe(0);
});
