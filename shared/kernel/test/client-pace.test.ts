import { ClientPace } from '@waymark/kernel/http/client-pace';

const MB = 1024 * 1024;
let nowMs = 0;
beforeEach(() => jest.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => jest.restoreAllMocks());

/** Waits this long for a client, which then takes this many bytes. */
async function take(pace: ClientPace, waitMs: number, bytes: number): Promise<void> {
  const wait = Promise.resolve().then(() => void (nowMs += waitMs));
  await pace.measureWait(wait);
  pace.addTaken(Buffer.alloc(bytes));
}

function expectSlowAfterMinute(pace: ClientPace): void {
  void pace.measureWait(new Promise(() => undefined));
  nowMs += 60_000;
  expect(pace.isSlow).toBe(false);
  nowMs += 1;
  expect(pace.isSlow).toBe(true);
}

test('a client that takes a step of its buffers at a time is not slow above the floor, and slow below it', async () => {
  const [above, below] = [new ClientPace(), new ClientPace()];
  for (let step = 0; step < 10; step += 1) {
    await take(above, 20_000, MB);
    await take(below, 40_000, MB);
  }
  expect([above.isSlow, below.isSlow]).toEqual([false, true]);
});

test('a client is slow after a minute in which it takes nothing, even if its buffers were filled before', () => {
  const pace = new ClientPace();
  pace.addTaken(Buffer.alloc(8 * MB));
  expectSlowAfterMinute(pace);
});

test('a client that was fast is slow after a minute in which it takes nothing', async () => {
  const pace = new ClientPace();
  for (let step = 0; step < 100; step += 1) await take(pace, 100, MB);
  expectSlowAfterMinute(pace);
});

test('a client that reads at the floor is not slow, however long each of its steps takes', async () => {
  const pace = new ClientPace();
  for (let step = 0; step < 10; step += 1) await take(pace, 55_000, 55 * 32 * 1024);
  expect(pace.isSlow).toBe(false);
});

test('a client that was slow for an hour is not slow any more once it takes a few megabytes at full speed', async () => {
  const pace = new ClientPace();
  for (let step = 0; step < 60; step += 1) await take(pace, 60_000, MB);
  expect(pace.isSlow).toBe(true);
  for (let step = 0; step < 4; step += 1) await take(pace, 1000, MB);
  expect(pace.isSlow).toBe(false);
});

test('a client is not slow while the stream waits for its source', async () => {
  const pace = new ClientPace();
  await take(pace, 100, 1000);
  nowMs += 600_000;
  expect(pace.isSlow).toBe(false);
});
