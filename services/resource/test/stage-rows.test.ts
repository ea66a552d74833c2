import { setImmediate as turn } from 'node:timers/promises';
import { withStagedRows } from '@waymark/resource/imports/stage-rows';

const NAMES = Array.from({ length: 20 }, (_, index) => `unknown_${index}`);
const ROW = Object.fromEntries(NAMES.map((name) => [name, 0]));
const fast = Promise.resolve();
const imports = {
  now: () => Promise.resolve(new Date()),
  insertRows: () => fast,
  removeRows: () => fast,
  hasImport: () => Promise.resolve(true),
};

test.each([
  ['links', { links: Array.from({ length: 5000 }, () => ROW) }],
  ['csv', { csv: `destination_url\n${'https://example.com\n'.repeat(5000)}` }],
])('other work runs while the rows of %s are read, however fast they are stored', async (_kind, given) => {
  const request = { id: 'imp_1', body: Buffer.from(JSON.stringify(given)), handling: { isStrict: true } };
  let isDone = false;
  const reading = withStagedRows({ imports }, request, (staged) => Promise.resolve(staged)).finally(
    () => (isDone = true),
  );
  let turns = 0;
  while (!isDone) {
    await turn();
    turns += 1;
  }
  expect(await reading).toMatchObject({ totalRows: 5000 });
  expect(turns).toBeGreaterThan(3);
});
