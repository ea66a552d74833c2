import * as fc from 'fast-check';
import type { Deployment } from '@waymark/contract/deployments';
import { V1_PREFIX, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import type { ApiTests } from './context.js';
import { resolve } from './reference.js';
import { Requests, type FuzzedRequest } from './requests.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? 100);
/** The same requests each time, unless `FUZZ_SEED` is set. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const AT_ONCE = 8;
const NOBODYS_IDS = ['lnk_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'none', '%00', '%F0%9F%92%A5', '..%2f..', '$ne', '{}'];

/** Identity providers add parameters of their own to the callback. */
const TAKES_ANY_PARAMETER = new Set(['GET /api/v1/session/oidc/callback']);

/**
 * Sends a hundred requests to each operation, from valid to absurd: none ends in a 5xx or a hang, the OpenAPI
 * document describes every answer, and no operation accepts a request that the document rules out.
 */
export function fuzzTests({ deployment, running, document, conformance }: ApiTests): void {
  /** The ids of created items, by the path of their list. */
  const known = new Map<string, string[]>();

  function pathOf(template: string, ids: number[]): string {
    let index = 0;
    const fixed = template.replace('{workspace}', running().demo.workspace);
    return fixed.replace(/\{\w+\}/g, (_name, offset: number) => {
      const ours = known.get(fixed.slice(0, offset - 1).replace(/\/[a-z]{3}_\w+\//g, '/…/')) ?? [];
      const choices = [...ours, ...NOBODYS_IDS];
      return choices[ids[index++]! % choices.length]!;
    });
  }

  async function problemsOf(method: string, template: string, { query, body, ids }: FuzzedRequest): Promise<string[]> {
    const path = pathOf(template, ids);
    const search = new URLSearchParams(query as Record<string, string>).toString();
    const response = await fetch(`${running().demo.base_url}${path}${search && `?${search}`}`, {
      method,
      headers: {
        authorization: `Bearer ${running().demo.users['owner']!.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const answer: any = isJson ? JSON.parse(text) : null;
    const { status, headers } = response;
    if (status === 201 && answer?.data?.id) known.set(path, [...(known.get(path) ?? []), answer.data.id]);
    if (status >= 500) return [`${method} ${template} → ${status}`];
    if (template.includes('{workspace}') && !headers.has('ratelimit'))
      return [`${method} ${template} → ${status}: no RateLimit`];
    return conformance().problemsOf({
      method,
      path,
      query: query as Record<string, string>,
      // `null` is no body.
      body: body ?? undefined,
      status,
      headers,
      answer,
    });
  }

  // Before the test below, which uses up the attempts to sign in.
  test('refuses a misspelt parameter and a misspelt field of every operation, and suggests the right name', async () => {
    const problems: string[] = [];
    const checked = { parameters: 0, fields: 0 };
    const operations: any[] = [];
    const strict = conformance().keys.filter((key) => key.includes(' /api/v1/') && !TAKES_ANY_PARAMETER.has(key));
    for (const key of strict) {
      const [method, template] = key.split(' ') as [string, string];
      const operation = document().paths[template][method.toLowerCase()];
      operations.push(operation);
      for (const slip of slipsOf(operation)) {
        const path = pathOf(template, [9, 9, 9]);
        const credential = await credentialFor(operation);
        const { status, body } = await send(method, path, slip, credential);
        const [message] = body?.error?.details?.[slip.misspelt] ?? [];
        const expected = slip.meant === undefined ? 'There is no ' : `Did you mean "${slip.meant}"?`;
        checked[slip.query ? 'parameters' : 'fields'] += 1;
        if (status !== 422 || !message?.includes(expected))
          problems.push(`${key} ${slip.misspelt}: ${status} ${message}`);
        const lenient = await send(method, path, slip, { ...credential, prefer: 'handling=lenient' });
        if (lenient.body?.error?.details?.[slip.misspelt])
          problems.push(`${key} ${slip.misspelt} is refused leniently`);
      }
    }
    expect(problems).toEqual([]);
    expect(checked.parameters).toBe(operations.length);
    expect(checked.fields).toBe(operations.filter((operation) => operation.requestBody).length);
  });

  test('answers any request as its document says', async () => {
    const requests = new Requests(document());
    const operations = conformance().keys.filter((key) => key.includes(' /api/v1/'));
    /** Each problem with the first request that caused it. */
    const problems = new Map<string, string>();
    for (const key of creationFirst(operations)) {
      const [method, template] = key.split(' ') as [string, string];
      const operation = document().paths[template][method.toLowerCase()];
      const samples = fc.sample(requests.to(operation), { numRuns: CASES, seed: SEED });
      await inTurns(partOf(samples, key, deployment), async (sample) => {
        for (const problem of await problemsOf(method, template, sample)) {
          if (!problems.has(problem)) problems.set(problem, JSON.stringify(sample));
        }
      });
    }
    expect([...problems]).toEqual([]);
    expect(operations.length).toBeGreaterThan(30);
  });

  async function send(method: string, path: string, { query, body }: Slip, headers: Record<string, string>) {
    const response = await fetch(`${running().demo.base_url}${path}${query ? `?${query}` : ''}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : null };
  }

  /** Returns the owner's token, or a session for an operation that only browsers may call. */
  async function credentialFor({ security }: any): Promise<Record<string, string>> {
    const { email, password, token } = running().demo.users['owner']!;
    if (security.length === 0 || 'token' in security[0]) return { authorization: `Bearer ${token}` };
    const response = await fetch(`${running().demo.base_url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    const { meta } = (await response.json()) as { meta: { csrf_token: string } };
    return { cookie: response.headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': meta.csrf_token };
  }

  /** One misspelt parameter, and one misspelt field where the operation has a body. */
  function slipsOf(operation: any): Slip[] {
    const parameter = (operation.parameters ?? [])
      .map((each: any) => resolve(document(), each))
      .find((each: any) => each.in === 'query')?.name;
    const content = operation.requestBody?.content['application/json'];
    const fields = Object.keys(resolve(document(), content?.schema)?.properties ?? {});
    const [field] = fields.filter((name) => name.length > 3);
    return [
      { query: `${misspelt(parameter ?? 'pages')}=1`, misspelt: misspelt(parameter ?? 'pages'), meant: parameter },
      ...(field ? [{ body: { [misspelt(field)]: 'x' }, misspelt: misspelt(field), meant: field }] : []),
    ];
  }

  test('refuses every other method of a path with 405 and says which there are', async () => {
    const problems: string[] = [];
    for (const [template, methods] of Object.entries<object>(document().paths)) {
      const path = pathOf(template, [0, 0, 0]);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (each) => !(each.toLowerCase() in methods),
      )) {
        const { status, headers } = await fetch(running().demo.base_url + path, { method });
        const allowed = Object.keys(methods).map((each) => each.toUpperCase());
        const isTold = allowed.every((each) => headers.get('allow')?.split(', ').includes(each));
        if (status !== 405 || !isTold) problems.push(`${method} ${path} said ${status}, Allow ${headers.get('allow')}`);
      }
    }
    expect(problems).toEqual([]);
  });
}

const IN_BOTH = new Set(
  (Object.values(ROUTES) as RouteDefinition[])
    .filter(({ deployments }) => deployments === undefined || deployments.length === 2)
    .map(({ method, path }) => `${method} ${V1_PREFIX}${path}`),
);

/** When both deployments serve an operation with the same code, each gets half of the requests. */
function partOf<T>(samples: T[], key: string, deployment: Deployment): T[] {
  if (!IN_BOTH.has(key)) return samples;
  return samples.filter((_, index) => (index % 2 === 0) === (deployment === 'links'));
}

interface Slip {
  query?: string;
  body?: object;
  misspelt: string;
  /** Absent when the operation has no similar name. */
  meant?: string;
}

/** Swaps the last two letters. */
const misspelt = (name: string): string => name.slice(0, -2) + name.at(-1)! + name.at(-2)!;

/** Sorts operations that create items first, and those that remove them last. */
function creationFirst(operations: string[]): string[] {
  const rank = (key: string) => ['POST', 'GET', 'PATCH', 'DELETE'].indexOf(key.split(' ')[0]!);
  return operations.toSorted((a, b) => rank(a) - rank(b) || a.split('{').length - b.split('{').length);
}

async function inTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
