import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CHOSEN_UP_TO, freePorts } from '@waymark/stack/ports';

const OUTGOING_RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

test('free ports are all different, and no process listens on them', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    await new Promise((resolve) => server.close(resolve));
  }
});

test('two processes that choose at the same time choose different ports', async () => {
  const compiled = join(__dirname, '../dist/ports.js');
  const code = `require(${JSON.stringify(compiled)}).freePorts(500).then((ports) => process.send(ports))`;
  const other = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [theirs, ours] = await Promise.all([once(other, 'message'), freePorts(500)]);
  expect(new Set([...(theirs[0] as number[]), ...ours]).size).toBe(1000);
});

test('no outgoing connection takes a free port before its server starts', () => {
  const start = existsSync(OUTGOING_RANGE) ? Number(readFileSync(OUTGOING_RANGE, 'utf8').split(/\s+/)[0]) : 32_768;
  expect(CHOSEN_UP_TO).toBeLessThan(start);
});
