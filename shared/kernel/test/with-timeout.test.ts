import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '@waymark/kernel/async/with-timeout';

const tooLate = () => new Error('too late');
const busyFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('work that ends in time is what it comes to, and what it fails with', async () => {
  await expect(withTimeout(5000, Promise.resolve('done'), tooLate)).resolves.toBe('done');
  await expect(withTimeout(5000, Promise.reject(new Error('failed')), tooLate)).rejects.toThrow('failed');
});

test('work that does not end is too late', async () => {
  await expect(withTimeout(20, new Promise(() => undefined), tooLate)).rejects.toThrow('too late');
});

test('an answer that came in time is heard by a process that was busy at the deadline', async () => {
  const source = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () => parentPort.postMessage('answer'));`;
  const other = new Worker(source, { eval: true });
  await once(other, 'online');
  const answer = once(other, 'message');
  other.postMessage('question');
  const heard = withTimeout(50, answer, tooLate);
  busyFor(1000);
  await expect(heard).resolves.toEqual(['answer']);
  await other.terminate();
});
