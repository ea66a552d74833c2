import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import {
  AVAILABILITIES,
  availabilityOf,
  DEFAULTS,
  viewOf,
  type LinkState,
  type Reference,
  type Scope,
  type Status,
} from './reference.js';
import type { Workspace } from './workspace.js';

export type Step = fc.AsyncCommand<Reference, Workspace>;

/** A step without preconditions; the comparison includes its errors. */
function step<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  run: (reference: Reference, real: Workspace, input: Input) => Promise<void>,
): fc.Arbitrary<Step> {
  return input.map((given) => ({
    check: () => true,
    run: (reference, real) => run(reference, real, given),
    toString: () => `${name} ${JSON.stringify(given)}`,
  }));
}

/** The browser half of the time, otherwise one of the tokens, valid or not. */
const increment = fc.option(fc.nat(9), { nil: undefined, freq: 2 });
const asks = (reference: Reference, given: number | undefined): number | undefined =>
  given === undefined || reference.tokens.length === 0 ? undefined : given % reference.tokens.length;
/** Mostly an existing link, otherwise a deleted one, or one that never existed. */
function linkOf({ links }: Reference, given: number): number {
  const living = [...links.keys()].filter((index) => links[index]);
  return given % 5 === 0 || living.length === 0 ? given % (links.length + 1) : living[given % living.length]!;
}

const which = fc.nat(30);
const title = fc.constantFrom(null, 'Spring', 'Été 💥');
const status = fc.constantFrom<Status>('active', 'archived');
const destination = fc.constantFrom('https://example.com/a', 'https://example.com/b?x=1#y', 'https://bücher.example/é');
/** Few codes, so that they collide, also in case only. */
const code = fc.constantFrom('one', 'ONE', 'two', 'three');
const when = {
  starts_at: fc.constantFrom(null, '2020-01-01T00:00:00.000Z', '2090-01-01T00:00:00.000Z'),
  expires_at: fc.constantFrom(null, '2021-01-01T00:00:00.000Z', '2091-01-01T00:00:00.000Z'),
  expired_url: fc.constantFrom(null, 'https://example.com/over'),
};
const redirectStatus = fc.constantFrom(301, 302, 307, 308);
const codeIn = (real: Workspace, given: string): string => `${real.slug}-${given}`;

const createLinks = step(
  'create links at once',
  fc.record({
    by: increment,
    times: fc.constantFrom(1, 1, 1, 4),
    body: fc.record(
      { destination_url: destination, title, status, short_code: code, redirect_status: redirectStatus, ...when },
      { requiredKeys: ['destination_url'] },
    ),
  }),
  async (reference, real, { by: given, times, body }) => {
    const token = asks(reference, given);
    const input = { ...body, ...(body.short_code && { short_code: codeIn(real, body.short_code) }) };
    const answers = await Promise.all(Array.from({ length: times }, () => real.call(token, 'POST', '/links', input)));
    // The order of the two is open: the reference takes them in the order of their success.
    for (const { outcome, body: answer } of answers.sort((a, b) => a.outcome.localeCompare(b.outcome))) {
      const state: LinkState = { ...DEFAULTS, short_code: answer?.data?.short_code ?? '', ...input };
      expect(outcome).toBe(reference.refusal(token, 'write') ?? reference.create(state));
      if (outcome !== '201') continue;
      real.links.push(answer.data.id);
      expectLink(answer.data, state);
    }
  },
);

const createTwice = step(
  'create a link twice under one key',
  fc.record({ by: increment }),
  async (reference, real, { by: given }) => {
    const token = asks(reference, given);
    const key = randomUUID();
    const create = () =>
      real.call(token, 'POST', '/links', { destination_url: 'https://example.com/once' }, { 'idempotency-key': key });
    const first = await create();
    const state = {
      ...DEFAULTS,
      short_code: first.body?.data?.short_code ?? '',
      destination_url: 'https://example.com/once',
    };
    expect(first.outcome).toBe(reference.refusal(token, 'write') ?? reference.create(state));
    if (first.outcome !== '201') return;
    real.links.push(first.body.data.id);
    expect(await create()).toEqual(first);
  },
);

const changeLink = step(
  'change a link',
  fc.record({
    by: increment,
    which,
    changes: fc.oneof(
      fc.record({ title, destination_url: destination, short_code: code }, { requiredKeys: [] }),
      fc.record({ status, short_code: code }, { requiredKeys: ['status'] }),
      fc.record({ short_code: code, redirect_status: redirectStatus, ...when }, { requiredKeys: [] }),
    ),
  }),
  async (reference, real, { by: given, which: at, changes }) => {
    const token = asks(reference, given);
    const link = linkOf(reference, at);
    const input: Partial<LinkState> = {
      ...changes,
      ...(changes.short_code && { short_code: codeIn(real, changes.short_code) }),
    };
    const { outcome, body } = await real.call(token, 'PATCH', `/links/${real.links[link] ?? 'lnk_none'}`, input);
    expect(outcome).toBe(reference.refusal(token, 'write') ?? reference.change(link, input));
    if (outcome === '200') expectLink(body.data, reference.links[link]!);
  },
);

const deleteLink = step(
  'delete a link',
  fc.record({ by: increment, which }),
  async (reference, real, { by: given, which: at }) => {
    const token = asks(reference, given);
    const link = linkOf(reference, at);
    const { outcome } = await real.call(token, 'DELETE', `/links/${real.links[link] ?? 'lnk_none'}`);
    expect(outcome).toBe(reference.refusal(token, 'write') ?? reference.delete(link));
  },
);

const readLink = step(
  'read a link',
  fc.record({ by: increment, which }),
  async (reference, real, { by: given, which: at }) => {
    const token = asks(reference, given);
    const link = linkOf(reference, at);
    const { outcome, body } = await real.call(token, 'GET', `/links/${real.links[link] ?? 'lnk_none'}`);
    expect(outcome).toBe(reference.refusal(token, 'read') ?? (reference.links[link] ? '200' : '404'));
    if (outcome === '200') expectLink(body.data, reference.links[link]!);
  },
);

const listLinks = step(
  'list links',
  fc.record({
    by: increment,
    filter: fc.record({ status, availability: fc.constantFrom(...AVAILABILITIES) }, { requiredKeys: [] }),
  }),
  async (reference, real, { by: given, filter }) => {
    const token = asks(reference, given);
    const path = `/links?${new URLSearchParams({ per_page: '100', ...filter }).toString()}`;
    const { outcome, body } = await real.call(token, 'GET', path);
    expect(outcome).toBe(reference.refusal(token, 'read') ?? '200');
    if (outcome === '200') expect(inOrder(body.data.map(viewOf))).toEqual(inOrder(reference.list(filter)));
  },
);

const visitLink = step('visit a link', code, (reference, real, given) =>
  real.visit(codeIn(real, given), reference.visit(codeIn(real, given))),
);

const createToken = step(
  'create a token',
  fc.record({ by: increment, scope: fc.constantFrom<Scope>('read_only', 'read_write', 'read_write') }),
  async (reference, real, { by: given, scope }) => {
    const token = asks(reference, given);
    const { outcome, body } = await real.call(token, 'POST', '/tokens', { name: 'model', scope });
    expect(outcome).toBe(reference.refusal(token, 'write') ?? '201');
    if (outcome !== '201') return;
    reference.tokens.push({ scope, isRevoked: false });
    real.tokens.push({ id: body.data.id, plaintext: body.meta.plaintext_token });
  },
);

const revokeToken = step(
  'revoke a token',
  fc.record({ by: increment, which }),
  async (reference, real, { by: given, which: at }) => {
    const token = asks(reference, given);
    const revoked = at % (reference.tokens.length + 1);
    const { outcome } = await real.call(token, 'DELETE', `/tokens/${real.tokens[revoked]?.id ?? 'tok_none'}`);
    expect(outcome).toBe(reference.refusal(token, 'write') ?? reference.revoke(revoked));
  },
);

const listTokens = step('list tokens', increment, async (reference, real, given) => {
  const token = asks(reference, given);
  const { outcome, body } = await real.call(token, 'GET', '/tokens');
  expect(outcome).toBe(reference.refusal(token, 'read') ?? '200');
  if (outcome === '200') expectTokens(body.data, reference, real);
});

/** Steps that fail most easily occur most often. */
export const STEPS = [
  ...[createLinks, createLinks, createTwice, changeLink, changeLink, changeLink, changeLink, deleteLink],
  ...[readLink, listLinks, visitLink, visitLink, createToken, revokeToken, listTokens],
];

function expectLink(shown: LinkState & { archived_at: string | null; availability: string }, state: LinkState): void {
  expect(shown.availability).toBe(availabilityOf(state));
  expect(viewOf(shown)).toEqual(viewOf(state));
  expect(shown.archived_at === null).toBe(state.status === 'active');
}

function expectTokens(shown: { id: string; scope: string }[], reference: Reference, real: Workspace): void {
  const good = real.tokens.map(({ id }, i) => ({ id, ...reference.tokens[i]! })).filter(({ isRevoked }) => !isRevoked);
  expect(inOrder(shown.map(({ id, scope }) => ({ id, scope })))).toEqual(
    inOrder(good.map(({ id, scope }) => ({ id, scope }))),
  );
}

/** Sorts a list: its order is not part of the reference. */
export const inOrder = (things: readonly object[]): string[] => things.map((thing) => JSON.stringify(thing)).sort();
