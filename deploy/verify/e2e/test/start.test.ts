import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@waymark/stack/ports';
import { ROOT } from '@waymark/launcher/process-table';
import { testServers } from '@waymark/testing/servers';
import { waitFor } from '@waymark/testing/wait-for';

const folder = mkdtempSync(join(tmpdir(), 'waymark-start-'));
const started: ChildProcess[] = [];
let ports: [number, number, number, number];

beforeAll(async () => {
  ports = (await freePorts(4)) as [number, number, number, number];
});
afterAll(async () => {
  await Promise.all(started.map(end));
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

function npm(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn('npm', args, {
    cwd: ROOT,
    detached: true,
    env: {
      ...process.env,
      ...testServers(),
      WAYMARK_LOCAL_DIR: folder,
      WAYMARK_PORT: String(ports[0]),
      WAYMARK_SHORT_PORT: String(ports[1]),
      DNS_SERVERS: `127.0.0.1:${ports[2]}`,
      ...env,
    },
  });
  started.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => output, ended };
}

/** What Ctrl-C does in a terminal: the whole process group is interrupted. */
function interrupt({ child }: Pick<Run, 'child'>): void {
  process.kill(-child.pid!, 'SIGINT');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  interrupt({ child });
  await exited;
}

async function start(...args: string[]): Promise<Run> {
  const run = npm(['start', ...args]);
  await waitFor('the screen', () => run.output().includes('Ctrl-C stops everything'), 240_000);
  return run;
}

const readDemo = () => JSON.parse(readFileSync(join(folder, 'demo.links.json'), 'utf8'));
const statusOf = async (token: string) =>
  (await fetch(`http://127.0.0.1:${ports[0]}/api/user`, { headers: { authorization: `Bearer ${token}` } })).status;

const DAY_MS = 24 * 3600_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** The figures of the demo workspace by week. */
async function readFigures(firstDay: string, lastDay: string) {
  const { workspace, users } = readDemo();
  const url = `http://127.0.0.1:${ports[0]}/api/v1/workspaces/${workspace}/analytics/summary`;
  const query = `interval=week&start_date=${firstDay}&end_date=${lastDay}`;
  const headers = { authorization: `Bearer ${users.owner.token}` };
  const response = await fetch(`${url}?${query}`, { headers });
  const { kpis, trend } = ((await response.json()) as { data: any }).data;
  return { kpis, trend };
}

async function signIn(email: string, password: string): Promise<number> {
  const body = JSON.stringify({ email, password });
  const headers = { 'content-type': 'application/json', origin: `http://127.0.0.1:${ports[0]}` };
  return (await fetch(`http://127.0.0.1:${ports[0]}/api/v1/session`, { method: 'POST', headers, body })).status;
}

test('npm start brings everything up, does the main job, stops on Ctrl-C, and comes back with its data', async () => {
  const first = await start();
  const demo = readDemo();
  expect(Object.keys(demo.users)).toEqual(['owner', 'admin', 'editor', 'analyst', 'viewer', 'outsider', 'both']);
  expect(demo).toMatchObject({ deployment: 'links', workspace: 'acme-corp', base_url: `http://127.0.0.1:${ports[0]}` });
  const [, email, password] = /sign in as (\S+), password (\S+)\)/.exec(first.output())!;
  expect([email, password]).toEqual([demo.users.owner.email, demo.users.owner.password]);
  expect(await signIn(email!, password!)).toBe(200);
  const e2e = npm(['run', 'demo:e2e']);
  expect(await e2e.ended).toBe(0);
  expect(e2e.output()).toContain('"e2e":"passed"');
  expect(e2e.output()).toContain('"domain":"removed"');

  const created = npm(['run', '--silent', 'admin', '--', 'user', 'create', '--email', 'new@example.com', '--name', 'N', '--password-stdin', '--json']); // prettier-ignore
  created.child.stdin!.end('long enough\n');
  expect(await created.ended).toBe(0);
  expect(JSON.parse(created.output().slice(created.output().indexOf('{')))).toMatchObject({ email: 'new@example.com' });
  expect(await signIn('new@example.com', 'long enough')).toBe(200);

  const processes = JSON.parse(readFileSync(join(folder, 'run.links.json'), 'utf8')).processes as Record<
    string,
    number
  >;
  interrupt(first);
  await first.ended;
  for (const pid of Object.values(processes)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');

  const second = await start('--', '--example');
  expect(await statusOf(demo.users.owner.token)).toBe(200);
  const days = [dayBefore(55), dayBefore(2)] as const;
  const figures = await readFigures(...days);
  expect(figures.trend.length).toBeGreaterThanOrEqual(8);
  for (const { scans, unique_visitors: visitors, conversions } of figures.trend)
    expect(Math.min(scans, visitors, conversions)).toBeGreaterThan(0);
  expect(figures.kpis.bot_scans).toBeGreaterThan(0);
  expect(figures.kpis.conversion_values).toEqual([{ currency: 'EUR', value: expect.any(Number) }]);
  interrupt(second);
  await second.ended;

  rmSync(join(folder, 'demo.links.json'));
  const third = await start('--', '--example');
  expect(third.output()).toContain('the workspace acme-corp has the example already: nothing was added');
  expect(await readFigures(...days)).toEqual(figures);
  const fresh = readDemo();
  expect(fresh.users.owner.token).not.toBe(demo.users.owner.token);
  expect(await statusOf(fresh.users.owner.token)).toBe(200);
  interrupt(third);
  await third.ended;
});

test('a second start beside the first is one clear line, and the first can still be administered', async () => {
  const first = await start();
  const second = npm(['start'], { WAYMARK_PORT: String(ports[2]), WAYMARK_SHORT_PORT: String(ports[3]) });
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/Waymark stopped: .*(is running already|another process uses the spool)/);
  const parked = npm(['run', '--silent', 'admin', '--', 'parked', 'list']);
  expect(await parked.ended).toBe(0);
  interrupt(first);
  await first.ended;
});

test('a taken port is one clear line, and nothing is left running', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(ports[0], '127.0.0.1', resolve));
  const run = npm(['start']);
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain(`port ${ports[0]} is taken; choose another with WAYMARK_PORT=…`);
  await new Promise((resolve) => taken.close(resolve));
});

test('a process that dies ends the start with its name, and nothing is left running', async () => {
  const run = await start();
  const processes = JSON.parse(readFileSync(join(folder, 'run.links.json'), 'utf8')).processes as Record<
    string,
    number
  >;
  process.kill(processes['resource']!, 'SIGKILL');
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain('Waymark stopped: resource ended (SIGKILL)');
  for (const pid of Object.values(processes)) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test.each([
  ['DEPLOYMENT', 'links2', 'DEPLOYMENT must be links or qr'],
  ['WAYMARK_PORT', 'http', 'WAYMARK_PORT must be a port'],
  ['DEFAULT_PLAN', 'gold', 'auth did not start: auth: bad configuration: DEFAULT_PLAN'],
])('a wrong %s is one clear line', async (name, value, message) => {
  const run = npm(['start'], { [name]: value });
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain(`Waymark stopped: ${message}`);
});
