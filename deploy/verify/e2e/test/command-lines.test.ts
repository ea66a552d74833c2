import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

const PROGRAMS = [
  'deploy/k8s/make-secrets.mjs',
  'deploy/k8s/broker/definitions.mjs',
  'deploy/images/make-keys.mjs',
  'deploy/images/make-compose-secrets.mjs',
  'deploy/dev/bin/reset.mjs',
  'deploy/dev/bin/start.mjs',
  'deploy/verify/bench/dist/main.js',
  'deploy/verify/faults/dist/main.js',
];

function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, program), ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.each(PROGRAMS)('%s', (program) => {
  test('--help prints the usage and ends with 0', () => {
    expect(run(program, '--help')).toEqual({ status: 0, stdout: expect.stringMatching(/^usage: /i), stderr: '' });
  });

  test('an unknown option ends with 2 and its name, and nothing else happens', () => {
    const { status, stdout, stderr } = run(program, '--frobnicate');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: [^\n]*--frobnicate/i);
  });
});

test.each([
  [['deploy/k8s/make-secrets.mjs', '--deployment', 'links', '--out', 'x'], '--mongodb is missing; --amqp is missing'],
  [['deploy/k8s/make-secrets.mjs', '--only', 'clickhouse', '--out', 'x'], '--deployment is missing'],
  [['deploy/k8s/broker/definitions.mjs', '--deployment', 'other', '--amqp', 'amqp://x'], '--deployment must be links'],
  [['deploy/images/make-keys.mjs'], 'expected FOLDER'],
  [['deploy/images/make-compose-secrets.mjs', 'other', 'x'], 'the deployment is links or qr, not other'],
  [['deploy/verify/bench/dist/main.js', 'gatewya'], '(Did you mean gateway?)'],
  [['deploy/verify/bench/dist/main.js', 'gateway', '--rounds', '0'], 'It must be a whole number from 1 on.'],
  [['deploy/verify/faults/dist/main.js', 'broker-dwn'], "'broker-dwn' is invalid for argument 'names'"],
])('the wrong call %j ends with 2 and says why', ([program = '', ...args], problem) => {
  const { status, stdout, stderr } = run(program, ...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(problem);
});

const SECRETS = ['deploy/k8s/make-secrets.mjs', '--deployment', 'links', '--out', join(tmpdir(), 'not-written')];
const VALID = { mongodb: 'mongodb://db', amqp: 'amqp://mq/links', management: 'http://mq:15672' };
const secretsCall = (changed: Record<string, string>) => [
  ...SECRETS,
  ...Object.entries({ ...VALID, ...changed }).flatMap(([name, value]) => [`--${name}`, value]),
];
const DEFINITIONS = ['deploy/k8s/broker/definitions.mjs', '--deployment', 'links', '--amqp'];

test.each([
  [
    [...DEFINITIONS, 'amqp://someone:secret@mq:99999/links'],
    '--amqp must be a URL that starts with amqp:// or amqps://',
  ],
  [[...DEFINITIONS, 'amqp://someone:secret@mq/li%nks'], '--amqp must be a URL'],
  [[...DEFINITIONS, 'http://someone:secret@mq/links'], '--amqp must be a URL'],
  [secretsCall({ amqp: 'amqp://someone:secret@mq:99999' }), '--amqp must be a URL'],
  [secretsCall({ management: 'someone:secret@mq' }), '--management must be a URL'],
  [secretsCall({ clickhouse: 'https://someone:secret@' }), '--clickhouse must be a URL'],
  [secretsCall({ mongodb: 'mongodb://someone:secret@db' }), '--mongodb must be a valid MongoDB URI'],
  ...[
    'mongodb://db:0',
    'mongodb://db:65536',
    'mongodb://db-0,,db-1',
    'mongodb://db:',
    'mongodb://::1',
    'mongodb+srv://db-0.example.com,db-1.example.com',
    'mongodb+srv://db.example.com:27017',
  ].map((mongodb): [string[], string] => [secretsCall({ mongodb }), '--mongodb must be a valid MongoDB URI']),
  [secretsCall({ amqp: 'amqp://someone:secret@mq/' }), '--amqp must end with a virtual host'],
  [[...DEFINITIONS, '', 'amqp://someone:secret@mq/links'], 'unexpected argument'],
  [['deploy/k8s/broker/definitions.mjs', '--amqp://someone:secret@mq/x'], "Unknown option '--amqp…'"],
])('the call %j ends with the name of the wrong URL, and prints no password', ([program = '', ...args], problem) => {
  const { status, stdout, stderr } = run(program, ...args);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(problem);
  expect(stderr).not.toMatch(/secret@|^ +at /m);
});

describe('npm run admin', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-admin-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  afterEach(() =>
    ['links', 'qr'].forEach((deployment) => rmSync(join(folder, `run.${deployment}.json`), { force: true })),
  );

  function admin(running: string[], env: Record<string, string> = {}): string {
    for (const deployment of running) {
      const settings = { MONGODB_URI: `not-a-database-of-${deployment}` };
      writeFileSync(join(folder, `run.${deployment}.json`), JSON.stringify({ admin_env: { auth: settings } }));
    }
    const args = [join(ROOT, 'deploy/dev/bin/admin.mjs'), 'workspace', 'list'];
    const { DEPLOYMENT: _deployment, MONGODB_URI: _uri, ...inherited } = process.env;
    const { stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...inherited, WAYMARK_LOCAL_DIR: folder, ...env },
    });
    return stderr;
  }

  test('uses the only deployment that runs', () => {
    expect(admin(['qr'])).toContain('MONGODB_URI: must be a MongoDB URI');
  });

  test('names the deployment that runs when another one is wanted', () => {
    const problem =
      'Waymark (links) is not running here: start it with npm start. Set DEPLOYMENT=qr for the one that is.';
    expect(admin(['qr'], { DEPLOYMENT: 'links' })).toContain(problem);
  });

  test('says that none runs', () => {
    expect(admin([])).toContain('Waymark (links) is not running here: start it with npm start.\n');
  });
});
