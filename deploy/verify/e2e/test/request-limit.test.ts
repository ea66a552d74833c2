import { setTimeout as sleep } from 'node:timers/promises';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { AUTHORIZE_TIMEOUT_MS } from '@waymark/gateway/authorize/auth-client';
import { backing } from '@waymark/launcher/process-table';
import { startSystem, type RunningSystem } from './system.js';

const LIMIT = 120;
const NEIGHBOUR = 'globex';

let running: RunningSystem;
let gateways: string[];
let workspace: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  running = await startSystem('links', { API_WORKSPACE_REQUESTS_PER_MINUTE: String(LIMIT) });
  const [second] = await running.system.startReplicas(['gateway']);
  gateways = [running.system.baseUrl, second!.url];
  workspace = running.demo.workspace;
  const owner = { workspace, token: running.demo.users['owner']!.token, address: '198.51.100.250' };
  for (const [name, path, body] of [
    ['link', '/links', { destination_url: 'https://example.com/' }],
    ['folder', '/folders', { name: 'Folder' }],
    ['webhook', '/webhooks', { url: 'https://example.com/', event_types: ['link.created'], enabled: false }],
    ['domain', '/domains', { hostname: 'limit.example.com' }],
  ] as const) {
    const answer = await send(owner, { method: 'POST', path, body });
    expect(answer.status).toBe(201);
    ids[name] = answer.body.data.id;
  }
});
afterAll(() => running?.stop());

interface Asked {
  method: string;
  path: string;
  body?: object;
}

async function send(member: Member, { method, path, body }: Asked, gateway = 0): Promise<Answer> {
  const { token, address } = member;
  const response = await fetch(`${gateways[gateway]!}/api/v1/workspaces/${member.workspace}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'x-forwarded-for': address,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: isJson && JSON.parse(text) };
}

interface Answer {
  status: number;
  retryAfter: string | null;
  body: any;
}

interface Member {
  workspace: string;
  token: string;
  /** The address that their requests come from. */
  address: string;
}

let memberCount = 0;
/** Adds an owner of a workspace, who has sent no requests. */
async function newMember(of = workspace): Promise<Member> {
  memberCount += 1;
  const targets = adminTargets(backing(running.system.settings, 'auth'));
  const admin = (name: string, options: Record<string, string>) => COMMANDS[name]!.run(targets, options);
  const email = `limited-${memberCount}@example.com`;
  await admin('user create', { email, name: 'L', password: 'password of L' });
  await admin('member set', { workspace: of, email, role: 'owner' });
  const minted = await admin('token create', { workspace: of, email, name: 'L', ability: 'read_write' });
  const { plaintext_token: token } = minted as { plaintext_token: string };
  return { workspace: of, token, address: `198.51.100.${memberCount}` };
}

type Class = [request: string, expected: number | number[], bodyOf?: (index: number) => object];
const title = (index: number) => ({ title: `Title ${index}` });
const name = (index: number) => ({ name: `Name ${index}` });

/** The routes of each service, by the work that they wait for. A workspace has at most 20 unfinished imports. */
const CLASSES: Class[] = [
  ['GET /links', 200],
  ['GET /links?search=example', 200],
  ['GET /links/{link}', 200],
  ['GET /links/{link}/qr?format=png', 200],
  ['GET /links/export', 200],
  ['GET /folders', 200],
  ['GET /links/imports', 200],
  [
    'POST /links/import',
    [202, 422],
    () => ({ options: { dry_run: true }, links: [{ destination_url: 'https://example.com/' }] }),
  ],
  ['GET /analytics/summary', 200],
  ['GET /analytics/breakdown?dimension=country', 200],
  ['GET /analytics/breakdowns?dimensions=country,device', 200],
  ['GET /analytics/conversions/breakdowns?dimensions=source', 200],
  ['GET /analytics/scans', 200],
  ['GET /analytics/filters', 200],
  ['GET /analytics/links?ids={link}', 200],
  ['GET /analytics/export', 200],
  ['GET /conversions', 200],
  ['GET /audit-logs', 200],
  ['GET /audit-logs/export', 200],
  ['GET /webhooks', 200],
  ['GET /webhooks/{webhook}/deliveries', 200],
  ['GET /domains', 200],
  ['GET /domains/{domain}', 200],
  ['GET /members', 200],
  ['GET /tokens', 200],
  ['GET /invitations', 200],
  ['GET ', 200],
  ['POST /links', 201, (index) => ({ destination_url: `https://example.com/${index}` })],
  ['PATCH /links/{link}', 200, title],
  ['POST /links/bulk', 200, () => ({ ids: [ids['link']], action: 'move', folder_id: ids['folder'] })],
  ['POST /folders', 201, name],
  ['PATCH /folders/{folder}', 200, (index) => ({ description: `Description ${index}` })],
  ['POST /conversions', 201, (index) => ({ id: ids['link'], source: 'shop', external_id: `order-${index}` })],
  ['PATCH /webhooks/{webhook}', 200, (index) => ({ url: `https://example.com/${index}` })],
  ['PATCH /domains/{domain}', 200, (index) => ({ not_found_url: `https://example.com/${index}` })],
  ['POST /tokens', 201, name],
];
/** One for each service, and for reads and changes: two gateways differ from one before the services alone. */
const THROUGH_TWO = ['GET /links', 'GET /analytics/summary', 'GET /audit-logs', 'GET /members', 'POST /links'];
const BUSY = ['GET /links', 'GET /analytics/breakdowns?dimensions=country,device', 'POST /links'];
const classesOf = (requests: string[]): Class[] => CLASSES.filter(([request]) => requests.includes(request));

interface Sent {
  answers: Answer[];
  /** Answers that a request could not be served in time, after each of which it was sent again. */
  late: Answer[];
  durationMs: number;
}

/** Sends one request more than the limit at once, to one gateway or to two in turn. */
async function sendTooMany(member: Member, [request, , bodyOf]: Class, gatewayCount: number): Promise<Sent> {
  const [method, template] = request.split(/ (.*)/) as [string, string];
  const path = template.replace(/\{(\w+)\}/g, (_, item: string) => ids[item]!);
  const late: Answer[] = [];
  const sendUntilServed = async (index: number): Promise<Answer> => {
    for (;;) {
      const answer = await send(member, { method, path, body: bodyOf?.(index) }, index % gatewayCount);
      if (answer.status !== 503) return answer;
      late.push(answer);
      await sleep(Number(answer.retryAfter) * 1000);
    }
  };
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: LIMIT + 1 }, (_, index) => sendUntilServed(index)));
  return { answers, late, durationMs: performance.now() - startedAt };
}

/** The last one is refused, and none but it by 429; what could not be served in time is a 503, and does not count. */
async function expectAllButOne(sending: Promise<Sent>, expected: number | number[]): Promise<void> {
  const { answers, late, durationMs } = await sending;
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => ![expected, 429].flat().includes(status))).toEqual([]);
  expect(late.filter(({ retryAfter }) => retryAfter === null)).toEqual([]);
  if (durationMs < AUTHORIZE_TIMEOUT_MS) expect(late).toEqual([]);
  // One that was late may come back when others have left the window.
  const refusedCount = statuses.filter((status) => status === 429).length;
  expect(refusedCount).toBeLessThanOrEqual(1);
  if (late.length === 0) expect(refusedCount).toBe(1);
}

test.each(CLASSES)('of the requests that a member sends at once, %s answers the first 120', async (...asked) => {
  await expectAllButOne(sendTooMany(await newMember(), asked, 1), asked[1]);
});

test.each(classesOf(THROUGH_TWO))('through two gateways, %s answers the first 120', async (...asked) => {
  await expectAllButOne(sendTooMany(await newMember(), asked, 2), asked[1]);
});

test.each(classesOf(THROUGH_TWO))('beside a busy neighbour, %s answers the first 120', async (...asked) => {
  const neighbours = await Promise.all(BUSY.map(() => newMember(NEIGHBOUR)));
  const member = await newMember();
  const busy = classesOf(BUSY).map((load, index) => expectAllButOne(sendTooMany(neighbours[index]!, load, 2), load[1]));
  await Promise.all([...busy, expectAllButOne(sendTooMany(member, asked, 2), asked[1])]);
});
