import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareKeys } from '@waymark/start/installation-keys';

const folder = mkdtempSync(join(tmpdir(), 'waymark-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('new keys are created once, and never beside data of earlier ones', async () => {
  const file = join(folder, 'links/secrets.json');
  const hasData = () => Promise.resolve(true);

  await expect(prepareKeys(file, hasData)).rejects.toThrow(
    /keys \(.*secrets\.json\) are gone; .* npm run local:reset$/,
  );
  expect(existsSync(file)).toBe(false);
  await prepareKeys(file, () => Promise.resolve(false));
  const keys = readFileSync(file, 'utf8');
  await prepareKeys(file, hasData);
  expect(readFileSync(file, 'utf8')).toBe(keys);
});
