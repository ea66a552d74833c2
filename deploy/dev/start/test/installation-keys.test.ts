import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareKeys } from '@waymark/start/installation-keys';

const folder = mkdtempSync(join(tmpdir(), 'waymark-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('new keys are created once, and beside data of earlier ones the start says so', async () => {
  const data = (isThere: boolean) => () => Promise.resolve(isThere);
  const file = join(folder, 'links/secrets.json');

  expect(await prepareKeys(file, data(false))).toBeUndefined();
  const keys = readFileSync(file, 'utf8');
  expect(await prepareKeys(file, data(true))).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe(keys);
  expect(await prepareKeys(join(folder, 'again/secrets.json'), data(true))).toMatch(
    /keys are gone: .* npm run local:reset removes its data$/,
  );
});
