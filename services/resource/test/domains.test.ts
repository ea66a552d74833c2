import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { entryOf } from '@waymark/launcher/process-table';
import { freePorts } from '@waymark/stack/ports';
import type { DomainSnapshot } from '@waymark/contract/events';
import { resolveCode } from '@waymark/contract/requests';
import { waitFor } from '@waymark/testing/wait-for';
import { domainSnapshot, refused, SILENT, Stack } from './stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

const create = (domain_id: unknown, fields: object = {}, workspace = 'acme') =>
  stack.patiently('POST', '/links', {
    body: { destination_url: 'https://example.com', domain_id, ...fields },
    workspace,
  });
const patch = (id: string, body: object, workspace = 'acme') =>
  stack.call('PATCH', `/links/${id}`, { body, workspace });
const show = async (id: string, workspace = 'acme') =>
  (await stack.call('GET', `/links/${id}`, { workspace })).body.data;
const resolve = async (short_code: string, hostname: string | null) =>
  (await stack.requester.ask(resolveCode, { hostname, short_code }, 10_000)).target?.link.id ?? null;
/** Deletes a domain and waits until its links have moved. */
async function remove(domain: DomainSnapshot): Promise<void> {
  stack.domains.delete(domain.id);
  await stack.tellDomain('domain.deleted', { ...domain, revision: 2 });
  const onIt = () => stack.database.collection('links').countDocuments({ domainId: domain.id });
  await waitFor('all to move', async () => (await onIt()) === 0);
}
const knows = (domain: DomainSnapshot, status: string) =>
  waitFor(status, async () => (await stack.stored('domains', domain.id))?.status === status);

describe('a link on a custom domain', () => {
  test('shows it, and is found there', async () => {
    const domain = await stack.verifiedDomain('go.acme.com');
    const link = (await create(domain.id, { short_code: 'Here' })).body.data;
    expect(link).toMatchObject({
      short_url: 'https://go.acme.com/Here',
      domain: { id: domain.id, hostname: 'go.acme.com' },
    });
    expect([await resolve('here', 'go.acme.com'), await resolve('here', null)]).toEqual([link.id, null]);
    await waitFor('the event', () => stack.toldOf(link.id as string).length === 1);
    expect(stack.toldOf(link.id as string)[0]!.data.link).toMatchObject({
      hostname: 'go.acme.com',
      short_code: 'Here',
    });
  });

  test('shows its short URL also as people write it, unless its hostname is ASCII or mixes scripts', async () => {
    const shown = new Map<string, string | null>();
    for (const [hostname, code, unicode] of [
      ['xn--bcher-kva.acme.com', 'unicode', 'https://bücher.acme.com/unicode'],
      ['xn--pypal-4ve.acme.com', 'mixed', null],
      ['ascii.acme.com', 'ascii', null],
    ] as const) {
      const { id } = await stack.verifiedDomain(hostname);
      const link = (await create(id, { short_code: code, title: 'As people write it' })).body.data;
      expect([link.short_url, link.short_url_unicode]).toEqual([`https://${hostname}/${code}`, unicode]);
      expect((await show(link.id)).short_url_unicode).toBe(unicode);
      shown.set(link.id, unicode);
    }
    const { data } = (await stack.call('GET', '/links?search=people')).body;
    expect(new Map(data.map((link: any) => [link.id, link.short_url_unicode]))).toEqual(shown);
    const moved = (await patch([...shown.keys()][0]!, { domain_id: null })).body.data;
    expect(moved.short_url_unicode).toBeNull();
  });

  test('may have a code that another workspace has on the default host, but not one of its own workspace', async () => {
    const domain = await stack.verifiedDomain('same.acme.com');
    await stack.create({ short_code: 'theirs' }, { workspace: 'globex' });
    await stack.create({ short_code: 'ours' });
    expect((await create(domain.id, { short_code: 'theirs' })).status).toBe(201);
    expect(refused(await create(domain.id, { short_code: 'OURS' }))).toEqual(['short_code']);
  });

  test('moves between hosts and stays to be found where it was; a code that is taken there is refused', async () => {
    const domain = await stack.verifiedDomain('move.acme.com');
    const link = await stack.create({ short_code: 'mover' });
    await stack.scan(link);
    await waitFor('the count', async () => (await show(link.id)).scans_count === 1);
    const moved = await patch(link.id, { domain_id: domain.id });
    expect(moved.body.data.short_url).toBe('https://move.acme.com/mover');
    expect([await resolve('mover', 'move.acme.com'), await resolve('mover', null)]).toEqual([link.id, link.id]);
    expect(refused(await create(null, { short_code: 'mover' }, 'globex'))).toEqual(['short_code']);

    const stuck = (await create(domain.id, { short_code: 'stuck' })).body.data;
    await stack.create({ short_code: 'stuck' }, { workspace: 'globex' });
    const clash = await patch(stuck.id, { domain_id: null });
    expect([clash.status, refused(clash)]).toEqual([422, ['short_code']]);
    expect((await patch(stuck.id, { domain_id: null, short_code: 'unstuck' })).body.data).toMatchObject({
      domain: null,
      short_url: 'https://go.test/unstuck',
    });
    expect((await patch(link.id, { domain_id: null })).body.data.short_url).toBe('https://go.test/mover');
  });
});

describe('a link to a host that has become one of ours', () => {
  test('is not moved to where it would lead to itself, and stays as it was', async () => {
    const destination_url = 'https://loop.acme.com/round';
    const link = await stack.create({ destination_url, short_code: 'round-1' });
    const domain = await stack.verifiedDomain('loop.acme.com');
    for (const body of [
      { domain_id: domain.id },
      { short_code: 'round' },
      { domain_id: domain.id, short_code: 'round' },
    ]) {
      expect(refused(await patch(link.id, body))).toEqual(['destination_url']);
    }
    expect((await patch(link.id, { title: 'Round' })).body.data).toMatchObject({
      destination_url,
      short_code: 'round-1',
    });
    const moved = await patch(link.id, { domain_id: domain.id, destination_url: 'https://example.com' });
    expect(moved.body.data.short_url).toBe('https://loop.acme.com/round-1');
  });
});

describe('a domain_id', () => {
  test('that this service does not know is looked up at its owner', async () => {
    const domain = domainSnapshot({ hostname: 'new.acme.com' });
    stack.domains.set(domain.id, { workspace: 'acme', domain });
    expect((await create(domain.id)).status).toBe(201);
    expect(stack.asked.filter((id) => id === domain.id)).toHaveLength(1);
    expect((await create(domain.id)).status).toBe(201);
    expect(stack.asked.filter((id) => id === domain.id)).toHaveLength(1);
  });

  test('of a domain that was just verified is accepted, for any last event', async () => {
    const domain = domainSnapshot({ hostname: 'late.acme.com', status: 'pending' });
    await stack.tellDomain('domain.created', domain);
    await knows(domain, 'pending');
    expect(refused(await create(domain.id))).toEqual(['domain_id']);
    stack.domains.set(domain.id, { workspace: 'acme', domain: { ...domain, status: 'verified', revision: 2 } });
    expect((await create(domain.id)).status).toBe(201);
    // The event that arrives afterwards, and an older one, change nothing.
    await stack.tellDomain('domain.updated', domain);
    expect((await create(domain.id)).status).toBe(201);
  });

  test('of another workspace, of a failed or a deleted domain, or of none, is refused', async () => {
    const theirs = await stack.verifiedDomain('theirs.example.com', 'globex');
    const failed = domainSnapshot({ hostname: 'failed.acme.com', status: 'failed' });
    stack.domains.set(failed.id, { workspace: 'acme', domain: failed });
    const deleted = domainSnapshot({ hostname: 'deleted.acme.com' });
    await stack.tellDomain('domain.deleted', deleted);
    await knows(deleted, 'deleted');
    for (const id of [theirs.id, failed.id, deleted.id, 'dom_none']) {
      const answer = await create(id);
      expect([answer.status, refused(answer)]).toEqual([422, ['domain_id']]);
    }
  });

  test('that its owner cannot speak for answers 503, not a refusal', async () => {
    const domain = domainSnapshot({ hostname: SILENT });
    stack.domains.set(domain.id, { workspace: 'acme', domain });
    const body = { destination_url: 'https://example.com', domain_id: domain.id };
    const answer = await stack.call('POST', '/links', { body });
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
  });

  test('of a degraded domain is accepted; links of a failed one stay, and no more come', async () => {
    const domain = await stack.verifiedDomain('weak.acme.com');
    await stack.tellDomain('domain.degraded', { ...domain, status: 'degraded', revision: 2 });
    await knows(domain, 'degraded');
    const link = (await create(domain.id)).body.data;
    const failed = { ...domain, status: 'failed' as const, revision: 3 };
    stack.domains.set(domain.id, { workspace: 'acme', domain: failed });
    await stack.tellDomain('domain.failed', failed);
    await knows(domain, 'failed');
    expect((await show(link.id)).domain).toEqual({ id: domain.id, hostname: 'weak.acme.com' });
    expect((await patch(link.id, { title: 'still changeable' })).status).toBe(200);
    expect(refused(await create(domain.id))).toEqual(['domain_id']);
  });
});

test('a destination on a custom host of any workspace is refused while it serves', async () => {
  const domain = await stack.verifiedDomain('loop.example.com', 'globex');
  const createLinkTo = (destination_url: string) => stack.call('POST', '/links', { body: { destination_url } });
  for (const url of ['https://loop.example.com/x', 'http://LOOP.example.com.:81/']) {
    expect(refused(await createLinkTo(url))).toEqual(['destination_url']);
  }
  expect((await createLinkTo('https://loop.example.com.evil.example/x')).status).toBe(201);
  await stack.tellDomain('domain.failed', { ...domain, status: 'failed', revision: 2 }, 'globex');
  await knows(domain, 'failed');
  expect((await createLinkTo('https://loop.example.com/x')).status).toBe(201);
});

describe('when another workspace proves the host of a domain that has failed', () => {
  const fail = async (domain: DomainSnapshot) => {
    const failed = { ...domain, status: 'failed' as const, revision: 2 };
    stack.domains.set(domain.id, { workspace: 'acme', domain: failed });
    await stack.tellDomain('domain.failed', failed);
    await knows(domain, 'failed');
  };

  test('the remaining links move to the default host, without the new owner as actor, and their codes are free', async () => {
    const hostname = 'lost.acme.com';
    const domain = await stack.verifiedDomain(hostname);
    const link = (await create(domain.id, { short_code: 'lost-1' })).body.data;
    const before = await stack.create({ short_code: 'lost-2' });
    await patch(before.id, { domain_id: domain.id });
    await patch(before.id, { domain_id: null });
    await fail(domain);
    const theirs = await stack.verifiedDomain(hostname, 'globex');
    await waitFor('the link to move', async () => (await show(link.id)).short_url === 'https://go.test/lost-1');
    await waitFor(
      'the codes to be free',
      async () => (await create(theirs.id, { short_code: 'lost-1' }, 'globex')).status === 201,
    );
    expect((await create(theirs.id, { short_code: 'lost-2' }, 'globex')).status).toBe(201);
    expect([await resolve('lost-1', null), await resolve('lost-2', null)]).toEqual([link.id, before.id]);
    expect((await stack.stored('domains', domain.id)).linksCount).toBe(0);

    await waitFor('the event', () => stack.toldOf(link.id as string).length === 2);
    const [, event] = stack.toldOf(link.id as string);
    expect(event).toMatchObject({
      type: 'link.updated',
      workspace: 'acme',
      actor: { type: 'system' },
      audit: { changes: { domain: { from: hostname, to: null } } },
      data: { link: { hostname: null, former_codes: [] } },
    });
    expect(JSON.stringify(event)).not.toContain('usr_9');
  });

  test('and has lost it again, a late event moves nothing', async () => {
    const hostname = 'back.acme.com';
    const domain = await stack.verifiedDomain(hostname);
    const link = (await create(domain.id, { short_code: 'back' })).body.data;
    await stack.tellDomain('domain.verified', domainSnapshot({ hostname }), 'globex');
    const later = await stack.verifiedDomain('later.acme.com');
    await knows(later, 'verified');
    expect((await show(link.id)).short_url).toBe(`https://${hostname}/back`);
  });
});

describe('the rest of a removal that another workspace’s having the host has begun', () => {
  const underWay = (hostname: string, event: object | string | null = { workspace: 'acme' }) =>
    stack.database.collection('domain_removals').insertOne({
      _id: `dom_theirs/${hostname}` as never,
      workspace: 'acme',
      hostname,
      ...(event && { event }),
      isLost: true,
      after: '',
      leaseUntil: new Date(),
      leaseId: null,
      createdAt: new Date(),
    });
  const ended = (hostname: string) =>
    waitFor('its end', async () => (await stack.stored('domain_removals', `dom_theirs/${hostname}`)) === null);

  test('is tried again ever later while it fails, and lets others pass', async () => {
    const _id = `dom_theirs/${SILENT}` as never;
    const removals = stack.database.collection('domain_removals');
    const failed = (times: number) =>
      waitFor(`${times} failures`, async () => (await stack.stored('domain_removals', _id)).failures === times);
    await underWay(SILENT);
    await failed(1);
    const { leaseUntil: first } = await stack.stored('domain_removals', _id);
    await removals.updateOne({ _id }, { $set: { leaseUntil: new Date() } });
    await failed(2);
    const { leaseUntil: second } = await stack.stored('domain_removals', _id);
    expect(second.getTime()).toBeGreaterThan(first.getTime());
    await underWay('passes.acme.com');
    await ended('passes.acme.com');
    await removals.deleteOne({ _id });
  });

  test.each([
    ['its former owner has it again', 'mine-again.acme.com', 'verified'],
    ['nobody has it', 'nobodys.acme.com', 'failed'],
  ] as const)('moves and frees nothing when %s', async (_who, hostname, status) => {
    const domain = await stack.verifiedDomain(hostname);
    const stays = (await create(domain.id, { short_code: `stays-${status}` })).body.data;
    const gone = (await create(domain.id, { short_code: `gone-${status}` })).body.data;
    await stack.call('DELETE', `/links/${gone.id}`);
    stack.domains.set(domain.id, { workspace: 'acme', domain: { ...domain, status } });
    await underWay(hostname);
    await ended(hostname);
    expect((await show(stays.id)).short_url).toBe(`https://${hostname}/stays-${status}`);
    expect(await stack.stored('codes', `${hostname}/gone-${status}`)).toMatchObject({ workspace: 'acme' });
  });

  test('goes on while the other one has it', async () => {
    const hostname = 'still-lost.acme.com';
    const domain = await stack.verifiedDomain(hostname);
    const short_code = hostname.split('.')[0];
    const link = (await create(domain.id, { short_code })).body.data;
    stack.domains.set(domain.id, { workspace: 'globex', domain });
    await underWay(hostname);
    await ended(hostname);
    expect((await show(link.id)).short_url).toBe(`https://go.test/${short_code}`);
    expect(await stack.stored('codes', `${hostname}/${short_code}`)).toBeNull();
  });
});

test('a host with thousands of codes of other workspaces is freed step by step', async () => {
  const hostname = 'crowded.acme.com';
  const codes = stack.database.collection<any>('codes');
  const former = (workspace: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      _id: `${hostname}/${workspace}-${index}`,
      workspace,
      linkId: null,
    }));
  await codes.insertMany([...former('initech', 2500), ...former('umbrella', 10), ...former('acme', 600)]);
  const count = (workspace: string) => codes.countDocuments({ _id: { $gt: `${hostname}/`, $lt: `${hostname}0` }, workspace }); // prettier-ignore
  const domain = await stack.verifiedDomain(hostname);
  await waitFor(
    'the codes to be free',
    async () => (await count('initech')) + (await count('umbrella')) === 0,
    120_000,
  );
  await waitFor('the end', async () => (await stack.stored('domain_removals', domain.id)) === null);
  expect(await count('acme')).toBe(600);
});

describe('when a domain is deleted', () => {
  const links = () => stack.database.collection('links');
  const left = ({ id }: DomainSnapshot) => links().countDocuments({ domainId: id });

  /** @returns their ids */
  async function importLinks({ id, hostname }: DomainSnapshot, count: number): Promise<string[]> {
    const row = (index: number) => ({
      destination_url: 'https://example.com',
      domain_id: id,
      short_code: `bulk-${hostname.split('.')[0]}-${index}`,
    });
    const body = { links: Array.from({ length: count }, (_, index) => row(index)) };
    expect((await stack.call('POST', '/links/import', { body })).status).toBe(202);
    await waitFor('the import', async () => (await links().countDocuments({ domainId: id })) === count, 120_000);
    const rows = await links().find({ domainId: id }).project({ _id: 1 }).toArray();
    return rows.map(({ _id }) => String(_id));
  }

  test('its links move to the default host; a clash gets a new code, and the audit entry names both', async () => {
    const domain = await stack.verifiedDomain('leave.acme.com');
    await stack.create({ short_code: 'clash' }, { workspace: 'globex' });
    const moves = (await create(domain.id, { short_code: 'moves' })).body.data;
    const clashes = (await create(domain.id, { short_code: 'clash' })).body.data;
    const had = await stack.create({ short_code: 'had' });
    await patch(had.id, { domain_id: domain.id });
    await patch(had.id, { domain_id: null });
    await remove(domain);
    expect(await show(moves.id)).toMatchObject({ short_url: 'https://go.test/moves', domain: null });
    const renamed = await show(clashes.id);
    expect(renamed.short_code).toMatch(/^[2-9a-hjkmnp-z]{9}$/);
    expect(renamed.short_url).toBe(`https://go.test/${renamed.short_code}`);
    expect([await resolve('moves', null), await resolve(renamed.short_code as string, null)]).toEqual([
      moves.id,
      clashes.id,
    ]);
    await waitFor('nothing left on the host', async () => (await resolve('had', 'leave.acme.com')) === null);
    expect([await resolve('moves', 'leave.acme.com'), await resolve('had', null)]).toEqual([null, had.id]);
    expect((await stack.list(`domain_id=${domain.id}`)).meta.total).toBe(0);

    await waitFor('the events', () => [moves, clashes].every(({ id }) => stack.toldOf(id as string).length === 2));
    const [, event] = stack.toldOf(clashes.id as string);
    expect(event).toMatchObject({
      type: 'link.updated',
      actor: { id: 'usr_9', email: 'eve@example.com' },
      request_id: 'req-9',
      audit: {
        target: { type: 'link', id: clashes.id },
        changes: {
          short_code: { from: 'clash', to: renamed.short_code },
          domain: { from: 'leave.acme.com', to: null },
        },
      },
      data: { link: { hostname: null, short_code: renamed.short_code, former_codes: [] } },
    });
    expect(stack.toldOf(moves.id as string)[1]!.audit!.changes).toEqual({
      domain: { from: 'leave.acme.com', to: null },
    });
  });

  test('its codes stay with its workspace until another has proven the host, which may then give all of them', async () => {
    const hostname = 'passed.acme.com';
    const domain = await stack.verifiedDomain(hostname);
    for (const short_code of ['kept-1', 'kept-2']) await create(domain.id, { short_code });
    const gone = (await create(domain.id, { short_code: 'kept-3' })).body.data;
    await stack.call('DELETE', `/links/${gone.id}`);
    await remove(domain);
    const left = () => stack.database.collection('codes').countDocuments({ _id: /^passed\.acme\.com\// as never });
    expect(await left()).toBe(3);
    const again = await stack.verifiedDomain(hostname);
    expect((await create(again.id, { short_code: 'kept-3' })).status).toBe(201);
    await remove(again);

    const theirs = await stack.verifiedDomain(hostname, 'globex');
    await waitFor('the codes to be free', async () => (await left()) === 0);
    for (const short_code of ['kept-1', 'KEPT-2', 'kept-3']) {
      const link = (await create(theirs.id, { short_code }, 'globex')).body.data;
      expect([await resolve(short_code, hostname), link.short_url]).toEqual([
        link.id,
        `https://${hostname}/${short_code}`,
      ]);
    }
    // On the default host each code still belongs to the workspace that had it.
    for (const short_code of ['kept-1', 'kept-2']) {
      expect(refused(await create(null, { short_code: `${short_code}` }, 'initech'))).toEqual(['short_code']);
    }
  });

  test('a removal that ends after its workspace has the host again leaves what has been there since', async () => {
    const hostname = 'returned.acme.com';
    const before = await stack.verifiedDomain(hostname);
    const old = (await create(before.id, { short_code: 'returned-old' })).body.data;
    const after = await stack.verifiedDomain(hostname);
    const stays = (await create(after.id, { short_code: 'returned-stays' })).body.data;
    const moved = (await create(after.id, { short_code: 'returned-moved' })).body.data;
    await patch(moved.id, { domain_id: null });
    await remove(before);
    await waitFor('its end', async () => (await stack.stored('domain_removals', before.id)) === null);
    expect((await show(old.id)).short_url).toBe('https://go.test/returned-old');
    const found = ['returned-old', 'returned-stays', 'returned-moved'].map((code) => resolve(code, hostname));
    expect(await Promise.all(found)).toEqual([null, stays.id, moved.id]);
    // Once the later domain is removed too, the host has no links.
    await remove(after);
    await waitFor('its end', async () => (await stack.stored('domain_removals', after.id)) === null);
    expect([await resolve('returned-moved', hostname), await resolve('returned-moved', null)]).toEqual([
      null,
      moved.id,
    ]);
  });

  test('told twice, and in the wrong order, it does the same once', async () => {
    const domain = await stack.verifiedDomain('twice.acme.com');
    const { id } = (await create(domain.id)).body.data;
    const deleted = { ...domain, revision: 5 };
    await stack.tellDomain('domain.deleted', deleted, 'acme', 'evt_deleted_twice');
    await stack.tellDomain('domain.verified', { ...domain, revision: 4 });
    await stack.tellDomain('domain.deleted', deleted, 'acme', 'evt_deleted_twice');
    await waitFor('it to move', async () => (await show(id)).domain === null);
    expect(refused(await create(domain.id))).toEqual(['domain_id']);
    await stack.scan(await show(id));
    await waitFor('what came after', async () => (await show(id)).scans_count === 1);
    expect(stack.toldOf(id as string)).toHaveLength(2);
  });

  test('no link comes to it in the same moment', async () => {
    const domain = await stack.verifiedDomain('moment.acme.com');
    const creating = Array.from({ length: 20 }, () => create(domain.id));
    const [, ...answers] = await Promise.all([
      stack.tellDomain('domain.deleted', { ...domain, revision: 2 }),
      ...creating,
    ]);
    for (const answer of answers) expect([201, 422]).toContain(answer.status);
    await knows(domain, 'deleted');
    await waitFor('all to move', async () => (await links().countDocuments({ domainId: domain.id })) === 0);
  });

  test('other workspaces do not wait until its links have moved', async () => {
    const [large, small] = [await stack.verifiedDomain('large.acme.com'), await stack.verifiedDomain('small.globex.com', 'globex')]; // prettier-ignore
    await importLinks(large, 2000);
    const link = (await create(small.id, { short_code: 'alone' }, 'globex')).body.data;
    await stack.tellDomain('domain.deleted', { ...large, revision: 2 });
    await stack.tellDomain('domain.deleted', { ...small, revision: 2 }, 'globex');
    await waitFor('the other one', async () => (await show(link.id, 'globex')).domain === null);
    expect(await left(large)).toBeGreaterThan(0);
    // Other domain events do not wait either.
    await stack.verifiedDomain('meanwhile.globex.com', 'globex');
    expect(await left(large)).toBeGreaterThan(0);
    await waitFor('all to move', async () => (await left(large)) === 0);
    expect(await stack.database.collection('links').countDocuments({ workspace: 'acme', hostname: null, shortCode: /^bulk/ })).toBe(2000); // prettier-ignore
  });

  test('a code that is taken while its links move is another one then', async () => {
    const domain = await stack.verifiedDomain('race.acme.com');
    const ids = await importLinks(domain, 300);
    const theirs = Array.from({ length: 20 }, (_, index) =>
      stack.patiently('POST', '/links', {
        body: { destination_url: 'https://example.com', short_code: `bulk-race-${index * 15}` },
        workspace: 'globex',
      }),
    );
    await stack.tellDomain('domain.deleted', { ...domain, revision: 2 });
    const taken = (await Promise.all(theirs)).filter(({ status }) => status === 201);
    expect(taken.length).toBeGreaterThan(0);
    await waitFor('all to move', async () => (await left(domain)) === 0);
    const moved = await links().find({ workspace: 'acme', _id: { $in: ids as never[] } }).toArray(); // prettier-ignore
    expect(moved.filter(({ shortCode }) => !String(shortCode).startsWith('bulk-race-'))).toHaveLength(taken.length);
  });

  test('a killed service leaves the rest to the next one, and no link is moved twice', async () => {
    const domain = await stack.verifiedDomain('killed.acme.com');
    const ids = await importLinks(domain, 2000);
    const idSet = new Set(ids);
    await stack.stopProcess(0);

    const [port, opsPort] = await freePorts(2);
    const env = { PATH: process.env['PATH'], ...stack.env, HOST: '127.0.0.1', PORT: String(port), OPS_PORT: String(opsPort), LOG_LEVEL: 'fatal' }; // prettier-ignore
    const child = spawn(process.execPath, [entryOf('resource')], { env, stdio: 'ignore' });
    await stack.tellDomain('domain.deleted', { ...domain, revision: 2 });
    await waitFor('the first to move', async () => (await left(domain)) < ids.length);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await left(domain)).toBeGreaterThan(0);
    // Simulates the expiry of the killed process's lease.
    await stack.database.collection('domain_removals').updateMany({}, { $set: { leaseUntil: new Date(0) } });

    await stack.startProcess();
    await waitFor('the rest to move', async () => (await left(domain)) === 0);
    await waitFor('all events', () => updatesById().size >= ids.length);
    const updates = updatesById();
    for (const id of ids) expect(updates.get(id)?.size).toBe(1);
    await waitFor('its end', async () => (await stack.stored('domain_removals', domain.id)) === null);

    function updatesById(): Map<string, Set<string>> {
      const found = new Map<string, Set<string>>();
      for (const event of stack.told) {
        const { link } = event.data;
        if (event.type !== 'link.updated' || !idSet.has(link.id)) continue;
        found.set(link.id, (found.get(link.id) ?? new Set()).add(event.id));
      }
      return found;
    }
  });
});
