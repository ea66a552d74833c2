import { setTimeout as sleep } from 'node:timers/promises';
import { WorkspaceSemaphore } from '@waymark/resource/workspace-semaphore';

const limits = { runningMax: 2, waitingMax: 4, waitingPerWorkspaceMax: 2, waitMaxMs: 60_000 };

/** Work that runs until it is ended from outside. */
function open(semaphore: WorkspaceSemaphore, workspace: string, started: string[]) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = semaphore.run(workspace, async () => {
    started.push(workspace);
    await ended;
  });
  return { run, end };
}

test('runs as many as it may, one of each workspace, and the others in their order', async () => {
  const semaphore = new WorkspaceSemaphore(limits);
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'b', 'c'].map((workspace) => open(semaphore, workspace, started));
  await sleep(1);
  expect(started).toEqual(['a', 'b']);
  works[3]!.end();
  await works[3]!.run;
  await sleep(1);
  expect(started).toEqual(['a', 'b', 'c']);
  works[0]!.end();
  await works[0]!.run;
  await sleep(1);
  expect(started).toEqual(['a', 'b', 'c', 'a']);
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  expect(started).toHaveLength(5);
});

test('refuses with 429 when too many of the workspace wait, and with 503 when the line is full, both with Retry-After', async () => {
  const semaphore = new WorkspaceSemaphore(limits);
  const started: string[] = [];
  const works = ['a', 'a', 'a', 'b', 'c', 'd'].map((workspace) => open(semaphore, workspace, started));
  for (const [workspace, status] of [
    ['a', 429],
    ['e', 503],
  ] as const) {
    await expect(semaphore.run(workspace, () => Promise.resolve())).rejects.toMatchObject({
      status,
      headers: { 'Retry-After': expect.any(String) },
    });
  }
  for (const { end } of works) end();
  await Promise.all(works.map(({ run }) => run));
  await expect(semaphore.run('e', () => Promise.resolve('done'))).resolves.toBe('done');
});

test('a work that fails, or waits too long, leaves its place to the next', async () => {
  const semaphore = new WorkspaceSemaphore({ ...limits, runningMax: 1, waitMaxMs: 10 });
  const started: string[] = [];
  const first = open(semaphore, 'a', started);
  await expect(semaphore.run('b', () => Promise.resolve())).rejects.toMatchObject({ status: 503 });
  first.end();
  await first.run;
  await expect(semaphore.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(semaphore.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
});
