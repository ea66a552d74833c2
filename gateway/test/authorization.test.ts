import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { prefixesOf, V1_PREFIX, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import type { Deployment } from '@waymark/contract/deployments';
import { DEPLOYMENTS, isServed, NOT_BUILT_POLICIES, policiesAt, POLICIES, PREFIXES } from './authorization-table.js';
import type { Policy } from './authorization-table.js';
import { inParallel, send, type Answered } from './client.js';
import { CREDENTIALS, type Credential } from './credentials.js';
import { identityIn, type Arrival } from './observer.js';
import { PEOPLE, WORKSPACE, World, type Person } from './world.js';

const CONCURRENCY = 16;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];
const CODE_OF: Record<number, string> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
};
let world: World;
let cells = 0;
let requests = 0;

beforeAll(async () => (world = await World.start(DEPLOYMENTS)));
afterAll(async () => {
  await world.stop();
  // oxlint-disable-next-line no-console
  console.log(`${cells} cells of the authorization table checked`);
});

/** One request, with the outcome that the policies require. */
interface Cell {
  deployment: Deployment;
  prefix: string;
  method: string;
  path: string;
  credential: Credential;
  person: Person;
  expected: Verdict;
}

type Verdict = { refused: number; allow?: string[] } | { letThrough: Policy };

/** Applies the rules in the order of the documentation. */
function verdictOn(policy: Policy, cell: Omit<Cell, 'expected'>): Verdict {
  const { credential, person } = cell;
  if (!isServed(policy, cell.deployment, cell.prefix)) {
    // `/links/export` is the link `export` under a prefix that does not have the route.
    const other = policiesAt(cell.deployment, cell.prefix, cell.path).find(({ method }) => method === policy.method);
    return other ? verdictOn(other, cell) : absent(cell);
  }
  if (policy.access === 'public') return { letThrough: policy };
  if (policy.access === 'anyone') return credential.hasCsrf === false ? { refused: 403 } : { letThrough: policy };
  if (credential.is === 'nobody') return { refused: 401 };
  const isRead = cell.method === 'GET' || cell.method === 'HEAD';
  if (credential.is === 'session' && !credential.hasCsrf && !isRead) return { refused: 403 };
  if (policy.access === 'user') return { letThrough: policy };
  if (policy.access === 'session') return credential.is === 'session' ? { letThrough: policy } : { refused: 403 };

  if (person === 'non-member' || !policy.roles.includes(person)) return { refused: 403 };
  if (policy.access === 'own') return credential.is === 'session' ? { letThrough: policy } : { refused: 403 };
  const { abilities } = credential;
  const isAble = abilities.includes('write') || (policy.access === 'read' && abilities.includes('read'));
  return isAble ? { letThrough: policy } : { refused: 403 };
}

/** False for a word in place of an id: `bulk` names no link. */
const isIdIn = (policy: Policy, path: string): boolean =>
  policy.path.split('/').every((part, index) => part !== '{id}' || /^[a-z]+_/.test(path.split('/')[index]!));

/** No route with this method: 405 when the path has other methods, else 404. */
function absent({ deployment, prefix, path }: Pick<Cell, 'deployment' | 'prefix' | 'path'>): Verdict {
  const policies = policiesAt(deployment, prefix, path).filter((policy) => isIdIn(policy, path));
  const methods = policies.map((policy) => policy.method);
  if (methods.length === 0) return { refused: 404 };
  return { refused: 405, allow: methods.includes('GET') ? [...methods, 'HEAD'] : methods };
}

/** Retries a 503 of the gateway, or of a service that the request may reach: a slow machine could not decide in time. */
const ATTEMPTS_MAX = 10;
const isUndecided = ({ status }: Answered, arrivals: Arrival[], expected: Verdict) =>
  status === 503 && (arrivals.length === 0 || ('letThrough' in expected && expected.letThrough.answer !== 503));

/** @returns the problem, or undefined */
async function check(cell: Cell, attempt = 1): Promise<string | undefined> {
  const { deployment, prefix, method, path, credential, person, expected } = cell;
  const requestId = `cell-${(requests += 1)}`;
  const hasBody = method === 'POST' || method === 'PATCH' || method === 'PUT';
  const headers = {
    ...(await headersOf(cell)),
    'x-request-id': requestId,
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(endsMembership(cell) && UNCHECKED_CONDITION),
  };
  const url = world.urlOf(deployment) + prefix + path;
  const answer = await send(world.agent, url, { method, headers, ...(hasBody && { body: '{}' }) });
  const arrivals = world.observer.of(requestId);
  if (isUndecided(answer, arrivals, expected) && attempt < ATTEMPTS_MAX) {
    await sleep(1000);
    return check(cell, attempt + 1);
  }
  const problem =
    'letThrough' in expected
      ? whyNotLetThrough(expected.letThrough, cell, answer, arrivals)
      : whyNotRefused(expected, method, answer, arrivals);
  return problem && `${deployment} · ${method} ${prefix}${path} · ${person} · ${credential.name}: ${problem}`;
}

/** Ends all other sessions of the person: these cells come last, one after the other. */
const endsOtherSessions = ({ method, path }: Pick<Cell, 'method' | 'path'>) =>
  method === 'DELETE' && path === '/sessions';

/** The service refuses it after it has checked the access: the person stays a member. */
const endsMembership = ({ method, path }: Pick<Cell, 'method' | 'path'>) =>
  method === 'DELETE' && path.endsWith('/members/me');
const UNCHECKED_CONDITION = { 'if-match': '*' };

/** A request that ends sessions uses its own session. */
async function headersOf(cell: Cell): Promise<Record<string, string>> {
  const { method, path, credential, person, expected } = cell;
  const isSignOut = method === 'DELETE' && path === '/session' && 'letThrough' in expected;
  const needsOwn = credential.is === 'session' && (isSignOut || endsOtherSessions(cell));
  const principal = world.people[person];
  const own = needsOwn ? { session: await world.signIn(person) } : {};
  return credential.headers({ ...principal, ...own }, person, world);
}

function whyNotRefused(
  expected: { refused: number; allow?: string[] },
  method: string,
  answer: Answered,
  arrivals: Arrival[],
): string | undefined {
  if (arrivals.length > 0) return `expected ${expected.refused}, but it reached ${arrivals[0]!.service}`;
  if (answer.status !== expected.refused) return `expected ${expected.refused}, got ${answer.status}`;
  const allow = answer.headers.allow?.split(', ').sort().join();
  if (allow !== expected.allow?.sort().join()) return `expected Allow ${expected.allow?.join()}, got ${allow}`;
  const code = method === 'HEAD' ? CODE_OF[answer.status] : codeIn(answer.text);
  return code === CODE_OF[answer.status] ? undefined : `${answer.status} with the code ${code}`;
}

const codeIn = (text: string) => (JSON.parse(text) as { error: { code: string } }).error.code;

function whyNotLetThrough(policy: Policy, cell: Cell, answer: Answered, arrivals: Arrival[]): string | undefined {
  const [arrival, another] = arrivals;
  const isOwn = policy.service === 'gateway' && !arrival;
  if (isOwn) return answer.status === policy.answer ? undefined : `expected ${policy.answer}, got ${answer.status}`;
  if (!arrival) return `expected to be let through, got ${answer.status}`;
  if (another) return 'it reached a service twice';
  if (arrival.service !== policy.service) return `it reached ${arrival.service}, not ${policy.service}`;
  if (arrival.method !== cell.method) return `it reached the service as ${arrival.method}`;
  if (arrival.url !== cell.prefix + cell.path) return `it reached the service as ${arrival.url}`;
  if (arrival.headers.cookie ?? arrival.headers.authorization) return 'the service was sent the credential';
  if (answer.status !== policy.answer) return `the service was expected to say ${policy.answer}, said ${answer.status}`;
  const { actor, workspace, session_id } = identityIn(arrival, world.keys);
  const claims = {
    actor,
    in: workspace && { slug: workspace.slug, role: workspace.role, abilities: workspace.abilities },
    hasSession: session_id?.startsWith('ses_') ?? false,
  };
  return isDeepStrictEqual(claims, claimsOf(policy, cell)) ? undefined : `it came as ${JSON.stringify(claims)}`;
}

/** The exact identity, workspace and service that the gateway must sign. */
function claimsOf(policy: Policy, { credential, person }: Cell) {
  const isAnonymous = policy.access === 'public' || (policy.access === 'anyone' && credential.is !== 'session');
  if (isAnonymous) {
    return { actor: { type: 'user', id: null, name: null, email: null, token_id: null }, in: null, hasSession: false };
  }
  const { id, name, email, tokens } = world.people[person];
  const token = credential.token && tokens[credential.token];
  const actor = token
    ? { type: 'token', id, name, email, token_id: token.id, token: { id: token.id, name: token.name } }
    : { type: 'user', id, name, email, token_id: null, token: null };
  const isInWorkspace = policy.path.includes('{workspace}');
  const access = { slug: WORKSPACE, role: person, abilities: credential.abilities };
  return { actor, in: isInWorkspace ? access : null, hasSession: credential.is === 'session' };
}

async function expectAll(all: Cell[]): Promise<void> {
  const [disruptive, harmless] = [all.filter(endsOtherSessions), all.filter((cell) => !endsOtherSessions(cell))];
  const checked = [
    ...(await inParallel(harmless, CONCURRENCY, (cell) => check(cell))),
    ...(await inParallel(disruptive, 1, (cell) => check(cell))),
  ];
  if (disruptive.length > 0) await world.signEveryoneIn();
  const problems = checked.filter((problem) => problem !== undefined);
  cells += all.length;
  if (problems.length === 0) return;
  throw new Error(`${problems.length} of ${all.length} cells are wrong\n${problems.slice(0, 60).join('\n')}`);
}

const pathOf = (policy: Policy) => policy.path.replace('{workspace}', WORKSPACE).replace(/\{\w+\}/g, 'none_1');
const methodsOf = (policy: Policy) => (policy.method === 'GET' ? ['GET', 'HEAD'] : [policy.method]);

/**
 * Callers of a route. The answer to an invalid credential, and to any caller of a route that is not served, does not
 * depend on the person: one person tries each of them, a different one at each place.
 */
function callersAt(isRoute: boolean, placeIndex: number) {
  return CREDENTIALS.flatMap((credential, index) => {
    const isByPerson = isRoute && (credential.is !== 'nobody' || credential.hasVariants);
    const people = isByPerson ? PEOPLE : [PEOPLE[(placeIndex + index) % PEOPLE.length]!];
    return people.map((person) => ({ credential, person }));
  });
}

function cellsOf(policy: Policy, deployment: Deployment): Cell[] {
  const places = PREFIXES.flatMap((prefix) => {
    // HEAD uses the handler of GET: testing it under one prefix is enough.
    const methods = prefix === V1_PREFIX ? methodsOf(policy) : [policy.method];
    return methods.map((method) => ({ prefix, method }));
  });
  const firstIndex = POLICIES.indexOf(policy);
  return places.flatMap((place, index) =>
    callersAt(isServed(policy, deployment, place.prefix), firstIndex + index)
      .filter((_, caller) => isChecked(policy, { deployment, ...place }, caller))
      .map((caller) => {
        const cell = { deployment, path: pathOf(policy), ...place, ...caller };
        return { ...cell, expected: verdictOn(policy, cell) };
      }),
  );
}

/**
 * Both deployments authorize by the same code: every caller is checked in both under the versioned prefix, and in one
 * of them, in turn, under the other.
 */
function isChecked(policy: Policy, { deployment, prefix }: Pick<Cell, 'deployment' | 'prefix'>, caller: number) {
  const deployments = DEPLOYMENTS.filter((one) => isServed(policy, one, prefix));
  const isShared = prefix !== V1_PREFIX && deployments.includes(deployment);
  const turn = caller + Math.floor(caller / PEOPLE.length);
  return !isShared || deployments[turn % deployments.length] === deployment;
}

describe('the route table', () => {
  const keyOf = (method: string, deployment: string, path: string) =>
    `${deployment} ${method} ${path.replace(/\{(?!workspace\})\w+\}/g, '{id}')}`;
  const inCode = (Object.values(ROUTES) as RouteDefinition[]).flatMap((route) =>
    (route.deployments ?? DEPLOYMENTS).flatMap((deployment) =>
      prefixesOf(route).map((prefix) => keyOf(route.method, deployment, prefix + route.path)),
    ),
  );
  const keysOf = (policies: Policy[]) =>
    policies.flatMap(({ method, deployments, prefixes, path }) =>
      deployments.flatMap((deployment) => prefixes.map((prefix) => keyOf(method, deployment, prefix + path))),
    );
  const byHand = keysOf(POLICIES);

  test('has a policy for every route', () => {
    expect(inCode.filter((key) => !byHand.includes(key))).toEqual([]);
  });

  test('has every route that a policy was written for', () => {
    expect(byHand.filter((key) => !inCode.includes(key))).toEqual([]);
  });

  test('is written down once', () => {
    const all = [...byHand, ...keysOf(NOT_BUILT_POLICIES)];
    expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([]);
  });
});

describe.each(DEPLOYMENTS)('in the %s deployment', (deployment) => {
  const [owner, anybody] = ['read_write', 'no token'].map((name) => CREDENTIALS.find((one) => one.name === name)!);
  const asked = (prefix: string, path: string, method: string): Cell[] =>
    [owner!, anybody!].map((credential) => {
      const cell = { deployment, prefix, path, method, credential, person: 'owner' as const };
      return { ...cell, expected: absent(cell) };
    });

  test(
    'every route admits exactly the callers that the policy admits, as themselves',
    () => expectAll(POLICIES.flatMap((policy) => cellsOf(policy, deployment))),
    900_000,
  );

  test('a path answers other methods with 405 and names its own', () => {
    const paths = new Set(POLICIES.map(pathOf));
    const all = [...paths].flatMap((path) =>
      PREFIXES.flatMap((prefix) => {
        const served = policiesAt(deployment, prefix, path).flatMap(methodsOf);
        const others = METHODS.filter((method) => !served.includes(method));
        return others.flatMap((method) => asked(prefix, path, method));
      }),
    );
    return expectAll(all);
  });

  test('a route that is not built answers 404, or 405 where its path has other methods', () =>
    expectAll(
      NOT_BUILT_POLICIES.flatMap((policy) =>
        PREFIXES.flatMap((prefix) => asked(prefix, pathOf(policy), policy.method)),
      ),
    ));

  test.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v2/user',
    '/api/v1/nothing',
    '/api/v1/user/',
    '/api/v1/User',
    '/API/v1/user',
    '/api/workspaces/acme',
    '/api/v1/workspaces/acme/tokens/',
    '/api/v1/workspaces//tokens',
    '/internal/authorize',
    '/api/v1/internal/authorize',
    '/metrics',
  ])('%s is unknown', (path) => expectAll(METHODS.flatMap((method) => asked('', path, method))));
});
