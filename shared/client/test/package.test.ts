import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const NODE_TYPES = join(ROOT, 'node_modules/@types');

const PROGRAM = `
const waymark = linksClient({ baseUrl: process.env['BASE_URL']!, token: 'wmk_x' });
async function main(): Promise<void> {
  const { data } = await waymark.POST('/api/v1/workspaces/{workspace}/links', {
    params: { path: { workspace: 'acme' } },
    body: { destination_url: 'https://example.com/', title: 'Spring' },
  });
  const link: LinksSchemas['Link'] = data.data;
  const status: 'active' | 'archived' = link.status;
  const conversion: LinksSchemas['ConversionRecord'] = { id: link.id, source: 'shop', meta: { order: [7] } };
  // @ts-expect-error The destination is required.
  const refused = waymark.POST('/api/v1/workspaces/{workspace}/links', { params: { path: { workspace: 'acme' } }, body: {} });
  const error = await refused.then(() => undefined, (thrown: unknown) => thrown);
  const code = error instanceof WaymarkError ? error.code : 'none';
  console.log(link.short_code, status, code, conversion.source, typeof webhooks.verify);
}
void main();
`;

/** An empty project in which the packed client is installed. */
let project: string;
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'waymark-client-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: join(__dirname, '..'),
  });
  const [{ filename, files }] = JSON.parse(stdout);
  expect(files.map(({ path }: { path: string }) => path)).toEqual(
    expect.arrayContaining([
      'README.md',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/esm/index.js',
      'dist/esm/package.json',
    ]),
  );
  expect(files.filter(({ path }: { path: string }) => /\.map$|tsbuildinfo|^src\/|^test\//.test(path))).toEqual([]);
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', ['install', ...quiet, join(project, filename)], { cwd: project });
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

test.each([
  [
    'modules',
    'main.mts',
    'main.mjs',
    'import { linksClient, webhooks, WaymarkError, type LinksSchemas } from "@waymark/client";',
  ],
  [
    'CommonJS',
    'main.cts',
    'main.cjs',
    'import { linksClient, webhooks, WaymarkError, type LinksSchemas } from "@waymark/client";',
  ],
])(
  'a project of %s installs the package, type-checks and runs',
  async (_name, source, built, imports) => {
    writeFileSync(join(project, source), imports + PROGRAM);
    const types = ['--typeRoots', NODE_TYPES, '--types', 'node', '--lib', 'es2023,dom,dom.iterable'];
    await run(process.execPath, [TSC, '--strict', '--module', 'nodenext', '--target', 'es2023', ...types, source], {
      cwd: project,
    });
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const isRefused = request.headers['content-length'] === '2';
        response.writeHead(isRefused ? 422 : 201, { 'content-type': 'application/json' });
        const link = { data: { short_code: 'spring', status: 'active' } };
        response.end(JSON.stringify(isRefused ? { error: { code: 'validation_failed', message: 'No.' } } : link));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { stdout } = await run(process.execPath, [built], {
      cwd: project,
      env: { ...process.env, BASE_URL: `http://127.0.0.1:${port}` },
    });
    server.close();
    expect(stdout).toBe('spring active validation_failed shop function\n');
  },
  60_000,
);
