import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Before every build: makes the types of the client from the OpenAPI documents in docs/api, unless they are those already.
const root = join(import.meta.dirname, '../../..');
const FOLDER = join(root, 'shared/client/src/generated');
const DEPLOYMENTS = ['links', 'qr'];

mkdirSync(FOLDER, { recursive: true });
markAsModules(join(root, 'shared/client/dist/esm'));
const documents = Object.fromEntries(DEPLOYMENTS.map((name) => [name, documentOf(name)]));
for (const name of DEPLOYMENTS) await write(name, documents[name], typesOf);
await write('idempotent', DEPLOYMENTS.map((name) => documents[name]).join(''), pathsWithKeys);

/** The client is built twice: the package is CommonJS, this folder of it has modules. */
function markAsModules(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "sideEffects": false }\n');
}

function documentOf(deployment) {
  return readFileSync(join(root, `docs/api/${deployment}.openapi.json`), 'utf8');
}

async function write(name, source, make) {
  const file = join(FOLDER, `${name}.ts`);
  const head = `// Generated from docs/api: ${keyOf(source)}\n`;
  if (textOf(file).startsWith(head)) return;
  // Two commands may build at the same time: neither reads half a file.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${head}\n${await make(source)}`);
  renameSync(unfinished, file);
}

async function typesOf(document) {
  const { astToString, default: generate } = await import('openapi-typescript');
  return astToString(await generate(document, { defaultNonNullable: false }));
}

function pathsWithKeys() {
  const isKey = ({ $ref = '', name }) => name === 'Idempotency-Key' || $ref.includes('Idempotency-Key');
  const paths = DEPLOYMENTS.flatMap((name) => Object.entries(JSON.parse(documents[name]).paths))
    .filter(([, { post }]) => post?.parameters?.some(isKey))
    .map(([path]) => path);
  const lines = [...new Set(paths)].sort().map((path) => `  '${path}',\n`);
  return `/** The POST operations that take an \`Idempotency-Key\`. */\nexport const TAKE_KEYS: ReadonlySet<string> = new Set([\n${lines.join('')}]);\n`;
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
