import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const GENERATE = join(__dirname, '../dist/generate.js');

test('the types of the client are those of the OpenAPI documents', async () => {
  await promisify(execFile)(process.execPath, [GENERATE, '--check']);
});
