import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

// Before every build: makes the types of the client from the OpenAPI documents in docs/api, unless they are those already.
const FOLDER = join(root, 'shared/client/src/generated');

mkdirSync(FOLDER, { recursive: true });
for (const deployment of ['links', 'qr']) await makeTypes(deployment);

async function makeTypes(deployment) {
  const document = readFileSync(join(root, `docs/api/${deployment}.openapi.json`), 'utf8');
  const file = join(FOLDER, `${deployment}.ts`);
  const head = `// Generated from docs/api/${deployment}.openapi.json: ${keyOf(document)}\n`;
  if (textOf(file).startsWith(head)) return;
  const { astToString, default: generate } = await import('openapi-typescript');
  // Two commands may build at the same time: neither reads half a file.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${head}\n${astToString(await generate(document, { excludeDeprecated: true }))}`);
  renameSync(unfinished, file);
}

/** Changes with whatever the types are made of: the document, the generator and its options. */
function keyOf(document) {
  const generator = readFileSync(join(root, 'node_modules/openapi-typescript/package.json'));
  return createHash('sha256')
    .update(document)
    .update(generator)
    .update(readFileSync(import.meta.filename))
    .digest('hex');
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return '';
  }
}
