import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENDPOINT_CONCURRENCY } from '@waymark/webhook/dispatch/context';
import { DISABLE_AFTER_MS } from '@waymark/webhook/dispatch/outcome-writer';
import { createSigningSecret } from '@waymark/webhook/endpoints/secret-box';
import { SECRET_OVERLAP_MS } from '@waymark/webhook/endpoints/update-webhook';
import { ATTEMPT_TIMEOUT_MS } from '@waymark/webhook/http/http-client';
import { signatureHeader } from '@waymark/webhook/http/signature';
import { loadConfig } from '@waymark/kernel/process/config';
import { secretKey } from '@waymark/testing/keys';
import { webhookConfig } from '@waymark/webhook/config';
import { blocksOf, guideText } from './guide.js';

interface Delivery {
  secret: string;
  headers: Record<string, string>;
  body: string;
}

/** How to run each snippet of the guide: it reads deliveries, one per line (see `lineOf`), and prints its verdicts. */
const LANGUAGES = [
  { name: 'js', command: 'node', file: 'verify.cjs', program: withJsMain },
  { name: 'python', command: 'python3', file: 'verify.py', program: withPythonMain },
  { name: 'java', command: 'java', file: 'Webhooks.java', program: withJavaMain },
];
const isInstalled = (command: string) => spawnSync(command, ['--version']).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-guide-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(LANGUAGES)('the $name snippet', ({ name, command, file, program }) => {
  const run = isInstalled(command) ? test : test.skip;

  run('accepts what is sent, also while a secret is rotated, and nothing else', () => {
    const path = join(folder, file);
    writeFileSync(path, program(blocksOf(name)[0]!));
    const [secret, newer] = [createSigningSecret(), createSigningSecret()];
    const good = delivery([secret]);
    const rotated = delivery([newer, secret]);
    const old = delivery([secret], -301);
    const cases: [Delivery, boolean][] = [
      [{ ...good, secret }, true],
      [{ ...rotated, secret }, true],
      [{ ...rotated, secret: newer }, true],
      [{ ...good, secret: newer }, false],
      [{ ...good, secret, body: `${good.body} ` }, false],
      [{ ...good, secret, headers: { ...good.headers, 'webhook-id': 'evt_2' } }, false],
      [{ ...good, secret, headers: { ...good.headers, 'webhook-signature': 'v1,AAAA v2,x y' } }, false],
      [{ ...old, secret }, false],
      ...forged(good).map((each): [Delivery, boolean] => [{ ...each, secret }, false]),
    ];
    const input = cases.map(([each]) => lineOf(each)).join('\n');
    const output = execFileSync(command, [path], { input, encoding: 'utf8' }).trim().split(/\s+/);
    expect(output).toEqual(cases.map(([, isValid]) => String(isValid)));
  });
});

describe('the numbers of the guide', () => {
  const config = loadConfig(webhookConfig, {
    MONGODB_URI: 'mongodb://127.0.0.1/',
    AMQP_URL: 'amqp://127.0.0.1/',
    API_BASE_URL: 'http://api.test',
    IDENTITY_KEY: secretKey(),
    WEBHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
  });

  test('are those of the service', () => {
    const seconds = { s: 1, min: 60, h: 3600 };
    const pauses = [...guideText.matchAll(/^\| \d +\| (\d+) (s|min|h) /gm)].map(
      ([, count, unit]) => Number(count) * seconds[unit as keyof typeof seconds],
    );
    expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000]);
    expect(config.WEBHOOK_RETRY_SCHEDULE).toEqual(pauses);
    expect(config).toMatchObject({ WEBHOOK_ALLOW_HTTP: false, WEBHOOK_ALLOWED_NETWORKS: [] });
    const hours = [SECRET_OVERLAP_MS, DISABLE_AFTER_MS].map((ms) => ms / 3_600_000);
    expect([ATTEMPT_TIMEOUT_MS, ENDPOINT_CONCURRENCY, ...hours]).toEqual([15_000, 10, 24, 5 * 24]);
    for (const words of ['within 15 s', 'tried 8 times', 'At most 10 deliveries', 'For\n24 hours', 'for 5 days'])
      expect(guideText).toContain(words);
  });
});

/** Deliveries that an attacker can send: each is refused, none ends in an error. */
function forged(good: Omit<Delivery, 'secret'>): Omit<Delivery, 'secret'>[] {
  const headers = (change: Record<string, string>) => ({ ...good, headers: { ...good.headers, ...change } });
  return [
    headers({ 'webhook-signature': '' }),
    headers({ 'webhook-timestamp': '' }),
    headers({ 'webhook-id': '' }),
    headers({ 'webhook-timestamp': 'now' }),
    headers({ 'webhook-timestamp': '9'.repeat(400) }),
    headers({ 'webhook-signature': 'v1,é€' }),
  ];
}

function delivery(secrets: string[], shiftSeconds = 0): Omit<Delivery, 'secret'> {
  const timestamp = Math.floor(Date.now() / 1000) + shiftSeconds;
  const body = '{"id":"evt_1","data":{"title":"Frühling €"}}';
  const signature = signatureHeader(secrets, { id: 'evt_1', timestamp, body });
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  };
  return { headers, body };
}

/** Secret, id, timestamp, signatures and body in base64, so no language needs a JSON library; empty means no header. */
function lineOf({ secret, headers, body }: Delivery): string {
  const texts = [secret, headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature'], body];
  return texts.map((text) => Buffer.from(text!).toString('base64')).join(' ');
}

function withJsMain(snippet: string): string {
  return `${snippet}
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
for (const line of require('node:fs').readFileSync(0, 'utf8').split('\\n')) {
  const [secret, ...rest] = line.split(' ').map((text) => Buffer.from(text, 'base64'));
  const headers = names.map((name, index) => [name, rest[index].toString()]).filter(([, value]) => value !== '');
  console.log(verify(secret.toString(), Object.fromEntries(headers), rest[3]));
}`;
}

function withPythonMain(snippet: string): string {
  return `${snippet}
import sys
for line in sys.stdin:
    secret, id, timestamp, signatures, body = [base64.b64decode(text) for text in line.split(" ")]
    given = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures}
    headers = {name: value.decode() for name, value in given.items() if value}
    print(str(verify(secret.decode(), headers, body)).lower())`;
}

function withJavaMain(snippet: string): string {
  const main = `
    public static void main(String[] args) throws Exception {
        Scanner lines = new Scanner(System.in);
        String[] names = {"webhook-id", "webhook-timestamp", "webhook-signature"};
        while (lines.hasNextLine()) {
            String[] texts = lines.nextLine().split(" ");
            Map<String, String> headers = new HashMap<>();
            for (int i = 0; i < names.length; i++)
                if (!texts[i + 1].isEmpty()) headers.put(names[i], text(texts[i + 1]));
            System.out.println(verify(text(texts[0]), headers, Base64.getDecoder().decode(texts[4])));
        }
    }

    static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    }
}`;
  return snippet.trimEnd().replace(/\}$/, main);
}
