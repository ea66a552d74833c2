import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deployment } from '@waymark/contract/deployments';

const FOLDER = join(__dirname, '../src/generated');
const MAKE_TYPES = join(__dirname, '../bin/make-types.mjs');

const writtenAt = () => readdirSync(FOLDER).map((file) => [file, statSync(join(FOLDER, file)).mtimeMs]);

test('a build leaves the types as they are while the documents are the same', async () => {
  const before = writtenAt();
  await promisify(execFile)(process.execPath, [MAKE_TYPES]);
  expect(writtenAt()).toEqual(before);
  expect(before.map(([file]) => file)).toEqual(['idempotent.ts', ...deployment.options.map((name) => `${name}.ts`)]);
});
