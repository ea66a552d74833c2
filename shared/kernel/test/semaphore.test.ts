import { Semaphore } from '@waymark/kernel/async/semaphore';
import { waitFor } from '@waymark/testing/wait-for';

test('a semaphore runs up to its limit, queues up to its limit in order, and rejects the rest', async () => {
  const semaphore = new Semaphore(2, 3);
  const open: (() => void)[] = [];
  const done: number[] = [];
  const enter = (id: number) =>
    semaphore.run(() => new Promise<void>((resolve) => open.push(resolve))).then(() => done.push(id));
  const visits = [1, 2, 3, 4, 5].map(enter);
  await expect(enter(6)).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(open).toHaveLength(2);
  while (done.length < 5) {
    open.shift()!();
    await waitFor('the next one', () => done.length === 5 || open.length > 0);
  }
  await Promise.all(visits);
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('a semaphore rejects work that waits too long, and removes it from the queue', async () => {
  const semaphore = new Semaphore(1, 1, 100);
  let leave!: () => void;
  const inside = semaphore.run(() => new Promise<void>((resolve) => (leave = resolve)));
  await expect(semaphore.run(() => Promise.resolve('late'))).rejects.toMatchObject({ code: 'service_unavailable' });
  const next = semaphore.run(() => Promise.resolve('next'));
  leave();
  await inside;
  expect(await next).toBe('next');
});

test('a semaphore releases the permit of failed work', async () => {
  const semaphore = new Semaphore(1, 0);
  await expect(semaphore.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(semaphore.run(() => Promise.resolve('fine'))).resolves.toBe('fine');
});
