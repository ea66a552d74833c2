import { setImmediate as turn } from 'node:timers/promises';
import { readChunks } from '@waymark/resource/imports/read-chunks';

const NAMES = Array.from({ length: 20 }, (_, index) => `unknown_${index}`);
const ROW = Object.fromEntries(NAMES.map((name) => [name, 0]));

test('other work runs while the rows of an import are read, however fast they are stored', async () => {
  const body = JSON.stringify({ links: Array.from({ length: 5000 }, () => ROW) });
  const input = { bytes: new Uint8Array(Buffer.from(body)), handling: { isStrict: true } };
  let isDone = false;
  const reading = readChunks(input, () => Promise.resolve()).finally(() => (isDone = true));
  let turns = 0;
  while (!isDone) {
    await turn();
    turns += 1;
  }
  expect(await reading).toMatchObject({ totalRows: 5000 });
  expect(turns).toBeGreaterThan(3);
});
