import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '@waymark/launcher/process-table';

const weakness = (severity: string) => ({
  express: [{ id: 1, url: 'https://example.com/1', title: 'A hole', severity, vulnerable_versions: '<99', cwe: [] }],
});

/** `npm run audit` with a registry that answers so to every audit, and knows nothing else. */
async function auditWith(status: number, answer: object): Promise<{ code: number | null; output: string }> {
  const server = createServer((request, response) => {
    const isAudit = request.url!.endsWith('/advisories/bulk');
    request.resume();
    response.writeHead(isAudit ? status : 404).end(JSON.stringify(isAudit ? answer : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cache = mkdtempSync(join(tmpdir(), 'waymark-npm-'));
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const env = { ...process.env, npm_config_registry: registry, npm_config_cache: cache };
  try {
    const child = spawn('npm', ['run', '--silent', 'audit'], { cwd: ROOT, env });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const output = await text(child.stdout);
    return { code: await exited, output };
  } finally {
    server.close();
    rmSync(cache, { recursive: true, force: true });
  }
}

test.each([
  ['no weakness', 200, {}, 0, 'known weaknesses: 0, 0 of them high or critical'],
  ['a moderate one', 200, weakness('moderate'), 0, 'known weaknesses: 1, 0 of them high or critical'],
  ['a high one', 200, weakness('high'), 1, 'high: express: A hole https://example.com/1'],
  ['a registry without audits', 405, {}, 3, 'Not checked: the registry answers no audits (405).'],
])('npm run audit on %s', async (_what, status, answer, code, line) => {
  const result = await auditWith(status, answer);
  expect(result).toEqual({ code, output: expect.stringContaining(line) });
});
