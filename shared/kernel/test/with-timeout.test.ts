import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '@waymark/kernel/with-timeout';

const tooLate = () => new Error('too late');
const busyFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('withTimeout returns the result of work that ends in time, and throws its error', async () => {
  await expect(withTimeout(5000, Promise.resolve('done'), tooLate)).resolves.toBe('done');
  await expect(withTimeout(5000, Promise.reject(new Error('failed')), tooLate)).rejects.toThrow('failed');
});

test('withTimeout fails when the work does not end', async () => {
  await expect(withTimeout(20, new Promise(() => undefined), tooLate)).rejects.toThrow('too late');
});

test('withTimeout accepts a result that arrived in time while the process was busy', async () => {
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
