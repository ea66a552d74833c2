import { spawn } from 'node:child_process';
import mongoose from 'mongoose';
import { resolveHost } from '@waymark/contract/requests';
import { findCollectionsWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import type { DomainOptions } from '@waymark/domain/app';
import { DomainService } from './domain-service.js';

/** Frequent checks; the time limits of states are long, unless a test sets them. */
const QUICK = {
  firstPausesMs: [50, 50],
  pauseMs: 100,
  longPauseMs: 100,
  lostAfterMs: 86_400_000,
  lookUpTimeoutMs: 500,
};
const PATIENT = { ...QUICK, firstPausesMs: [3_600_000], pauseMs: 3_600_000, longPauseMs: 3_600_000 };

const dist = (module: string): string => JSON.stringify(require.resolve(`../dist/${module}.js`));
/** The program of a process of its own. */
const processWith = (options: Partial<DomainOptions>): string => `
  const { runProcess } = require('@waymark/kernel/process/lifecycle');
  const { startDomain } = require(${dist('app')});
  const { domainConfig } = require(${dist('config')});
  runProcess('domain', domainConfig, (parts) => startDomain(parts, ${JSON.stringify(options)}));
`;

interface Registered {
  id: string;
  hostname: string;
  name: string;
  value: string;
}

let service: DomainService;
let hosts = 0;
const connections: mongoose.Connection[] = [];
afterEach(async () => {
  await Promise.all(connections.splice(0).map((each) => each.close()));
  await service.stop();
});

async function start(options: Partial<DomainOptions> = QUICK): Promise<void> {
  service = await DomainService.start(options);
}

async function register(
  workspace = 'acme',
  hostname = `go${(hosts += 1)}.acme.com`,
  user?: string,
): Promise<Registered> {
  const { status, body } = await service.register(hostname, { workspace, user });
  if (status !== 201) throw new Error(`registering got ${status}`);
  const { id, dns } = body.data;
  return { id, hostname, name: dns.txt.name, value: dns.txt.value };
}

async function verified(workspace = 'acme', hostname?: string, user?: string): Promise<Registered> {
  const domain = await register(workspace, hostname, user);
  service.dns.setTexts(domain.name, domain.value);
  await service.waitForStatus('verified', domain.id, workspace);
  return domain;
}

const show = async (id: string, workspace = 'acme') =>
  (await service.call('GET', `/domains/${id}`, { workspace })).body.data;
const verify = (id: string, workspace = 'acme') => service.call('POST', `/domains/${id}/verify`, { workspace });
const ownerOf = async ({ hostname }: Registered) => {
  const { owner } = await service.requester.ask(resolveHost, { hostname }, 30_000);
  return owner && { workspace: owner.workspace, id: owner.domain.id, status: owner.domain.status };
};
/** A check may time out first on a busy machine. */
const failsBecause = (id: string, reason: string) =>
  waitFor(`a check to fail with ${reason}`, async () => (await show(id)).last_error?.startsWith(reason));
const typesOf = (id: string) => service.eventsOf(id).map(({ type }) => type);

/** Waits until `times` more checks of a domain have been recorded. */
async function checked(id: string, times: number): Promise<void> {
  let last = (await show(id)).last_checked_at as string;
  for (let seen = 0; seen < times; seen += 1) {
    last = await waitFor('a check', async () => {
      const { last_checked_at: at } = await show(id);
      return at !== last && (at as string);
    });
  }
}

describe('a registered domain', () => {
  test('a registered domain becomes verifying, then verified once its record exists, with one event', async () => {
    await start();
    const domain = await register();
    await service.waitForStatus('verifying', domain.id);
    await failsBecause(domain.id, `NXDOMAIN: there is no name ${domain.name}.`);
    service.dns.setTexts(domain.name);
    await failsBecause(domain.id, 'NODATA');
    expect(await ownerOf(domain)).toBeNull();
    service.dns.setTexts(domain.name, 'something else', domain.value);
    await service.waitForStatus('verified', domain.id);
    await checked(domain.id, 3);
    const shown = await show(domain.id);
    expect(shown).toMatchObject({ status: 'verified', last_error: null });
    expect(Date.parse(shown.verified_at)).toBeLessThan(Date.parse(shown.last_checked_at));
    expect(await ownerOf(domain)).toEqual({ workspace: 'acme', id: domain.id, status: 'verified' });
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
    expect(service.eventsOf(domain.id)[1]).toMatchObject({
      workspace: 'acme',
      actor: { type: 'system' },
      audit: { changes: { status: { from: 'verifying', to: 'verified' } } },
      domain: { revision: 2, status: 'verified' },
    });
  });

  test('a registered domain fails without its record and serves once the record appears later', async () => {
    await start({ ...QUICK, verifyWithinMs: 500 });
    const domain = await register();
    await service.waitForStatus('failed', domain.id);
    service.dns.setTexts(domain.name, domain.value);
    await service.waitForStatus('verified', domain.id);
    expect(await service.eventTypesOf(domain.id, 3)).toEqual(['domain.created', 'domain.failed', 'domain.verified']);
  });

  test('a failed domain that is no longer checked restarts when a client requests a check', async () => {
    await start({ ...QUICK, verifyWithinMs: 300, giveUpAfterMs: 10 });
    const domain = await register();
    await service.waitForStatus('failed', domain.id);
    service.dns.setTexts(domain.name, domain.value);
    const { status, body } = await verify(domain.id);
    expect([status, body.data.status]).toEqual([202, 'pending']);
    await service.waitForStatus('verified', domain.id);
    expect(await service.eventTypesOf(domain.id, 4)).toEqual([
      'domain.created',
      'domain.failed',
      'domain.updated',
      'domain.verified',
    ]);
    // The audit entry belongs to the request event, with the change it made.
    expect(service.eventsOf(domain.id)[2]).toMatchObject({ actor: { type: 'user', id: 'usr_1' }, audit: null });
    await waitFor('the request', () => service.checkRequests.some((request) => request.domain.id === domain.id));
    expect(service.checkRequests.find((request) => request.domain.id === domain.id)).toMatchObject({
      actor: { type: 'user', id: 'usr_1' },
      audit: { changes: { status: { from: 'failed', to: 'pending' } } },
    });
  });

  test('a domain is checked at once when a client requests it', async () => {
    await start(PATIENT);
    const domain = await register();
    await service.waitForStatus('verifying', domain.id);
    service.dns.setTexts(domain.name, domain.value);
    const { status, body } = await verify(domain.id);
    expect([status, body.data.id, body.data.status]).toEqual([202, domain.id, 'verifying']);
    await service.waitForStatus('verified', domain.id);
    expect((await verify(domain.id)).body.data.status).toBe('verified');
    await checked(domain.id, 1);
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
  });
});

describe('a verified domain', () => {
  test('a verified domain without its record serves while degraded and is verified again when it returns', async () => {
    await start();
    const domain = await verified();
    service.dns.removeName(domain.name);
    await service.waitForStatus('degraded', domain.id);
    expect(await ownerOf(domain)).toMatchObject({ id: domain.id, status: 'degraded' });
    await failsBecause(domain.id, 'NXDOMAIN: ');
    service.dns.setTexts(domain.name, domain.value);
    await service.waitForStatus('verified', domain.id);
    expect(await service.eventTypesOf(domain.id, 4)).toEqual([
      'domain.created',
      'domain.verified',
      'domain.degraded',
      'domain.verified',
    ]);
  });

  test('a verified domain fails after three misses and stops serving until it is verified again', async () => {
    await start({ ...QUICK, lostAfterMs: 400 });
    const domain = await verified();
    service.dns.removeName(domain.name);
    await service.waitForStatus('failed', domain.id);
    expect(await ownerOf(domain)).toBeNull();
    service.dns.setTexts(domain.name, domain.value);
    await service.waitForStatus('verified', domain.id);
    expect(await ownerOf(domain)).toMatchObject({ id: domain.id });
    expect(await service.eventTypesOf(domain.id, 5)).toEqual([
      'domain.created',
      'domain.verified',
      'domain.degraded',
      'domain.failed',
      'domain.verified',
    ]);
  });

  test.each(['SERVFAIL', 'REFUSED', 'silent'] as const)(
    'a verified domain is not degraded by name servers that answer %s',
    async (manner) => {
      await start({ ...QUICK, lostAfterMs: 10, lostAfterMisses: 1, lookUpTimeoutMs: 100 });
      const domain = await verified();
      service.dns.manner = manner;
      await checked(domain.id, 5);
      expect(await show(domain.id)).toMatchObject({ status: 'verified', last_error: expect.not.stringMatching(/^N/) });
      service.dns.manner = 'truthful';
      await waitFor('an answer', async () => (await show(domain.id)).last_error === null);
      expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
    },
  );

  test('a verified domain is not degraded by one lying name server of three', async () => {
    service = await DomainService.start({ ...QUICK, lostAfterMs: 10, lostAfterMisses: 1 }, 3);
    const [liar, ...honest] = service.nameServers;
    const domain = await register();
    for (const server of honest) server.setTexts(domain.name, domain.value);
    await service.waitForStatus('verified', domain.id);
    liar!.manner = 'NXDOMAIN';
    await checked(domain.id, 5);
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
  });
});

describe('the checks that people ask for', () => {
  test('requested checks query the name servers at most once per interval', async () => {
    await start({ ...PATIENT, checkIntervalMs: 3_600_000 });
    const domain = await register();
    await service.waitForStatus('verifying', domain.id);
    const asked = service.dns.questions;
    for (let i = 0; i < 10; i += 1) expect((await verify(domain.id)).status).toBe(202);
    // The service claims this domain's check after every check that is due now.
    const other = await register();
    await service.waitForStatus('verifying', other.id);
    expect(service.dns.questions).toBeLessThan(asked + 10);
    await failsBecause(domain.id, 'NXDOMAIN: ');
  });
});

describe('a hostname of two workspaces', () => {
  test('a hostname cannot be registered while another workspace serves it', async () => {
    await start();
    const { hostname } = await verified();
    const { status, body } = await service.register(hostname.toUpperCase(), { workspace: 'globex' });
    expect([status, body.error.details]).toEqual([422, { hostname: ['The hostname is already in use.'] }]);
  });

  test('a hostname stays with the workspace that verified it first', async () => {
    await start();
    const [ours, theirs] = [await register('acme', 'shared.acme.com'), await register('globex', 'shared.acme.com')];
    expect(theirs.value).not.toBe(ours.value);
    service.dns.setTexts(ours.name, ours.value);
    await service.waitForStatus('verified', ours.id);
    expect(await service.statusOf(theirs.id, 'globex')).not.toBe('verified');
    service.dns.setTexts(ours.name, ours.value, theirs.value);
    await waitFor('the event of the other', async () =>
      /another workspace/.test((await show(theirs.id, 'globex')).last_error),
    );
    expect(await ownerOf(ours)).toMatchObject({ workspace: 'acme', id: ours.id });

    await service.call('DELETE', `/domains/${ours.id}`);
    await service.waitForStatus('verified', theirs.id, 'globex');
    expect(await ownerOf(ours)).toMatchObject({ workspace: 'globex', id: theirs.id });
    expect(await service.eventTypesOf(theirs.id, 2)).toEqual(['domain.created', 'domain.verified']);
  });

  test('a hostname moves to another workspace only after the first has failed', async () => {
    await start({ ...QUICK, lostAfterMs: 1000 });
    const [ours, theirs] = [await register('acme', 'sold.acme.com'), await register('globex', 'sold.acme.com')];
    service.dns.setTexts(ours.name, ours.value);
    await service.waitForStatus('verified', ours.id);
    service.dns.setTexts(ours.name, theirs.value);
    await service.waitForStatus('degraded', ours.id);
    expect(await ownerOf(ours)).toMatchObject({ workspace: 'acme', status: 'degraded' });
    await service.waitForStatus('failed', ours.id);
    await service.waitForStatus('verified', theirs.id, 'globex');
    expect(await ownerOf(ours)).toMatchObject({ workspace: 'globex' });
  });

  test('a hostname goes to exactly one of two workspaces that verify it concurrently', async () => {
    await start();
    await service.addProcess();
    for (let round = 0; round < 5; round += 1) {
      const hostname = `race${round}.acme.com`;
      const both = [await register('acme', hostname), await register('globex', hostname)];
      service.dns.setTexts(both[0]!.name, ...both.map(({ value }) => value));
      await waitFor('an owner', () => ownerOf(both[0]!));
      await waitFor('the event of the other', async () => {
        const errors = [(await show(both[0]!.id)).last_error, (await show(both[1]!.id, 'globex')).last_error];
        return errors.filter((error) => /another workspace/.test(error ?? '')).length === 1;
      });
      const winners = () => both.filter(({ id }) => typesOf(id).includes('domain.verified'));
      await waitFor('the event of the owner', () => winners().length > 0);
      expect(winners()).toHaveLength(1);
    }
  });

  test('a hostname registered again by its former owner needs a new record', async () => {
    await start();
    const before = await verified();
    await service.call('DELETE', `/domains/${before.id}`);
    expect(await ownerOf(before)).toBeNull();
    const after = await register('acme', before.hostname);
    await checked(after.id, 3);
    expect(await service.statusOf(after.id)).toBe('verifying');
    service.dns.setTexts(after.name, after.value);
    await service.waitForStatus('verified', after.id);
  });
});

test('URLs that would cause a redirect loop are removed when their domain begins to serve', async () => {
  await start();
  const [ours, theirs] = [await register('acme'), await register('globex')];
  const patch = (workspace: string, { id }: Registered, { hostname }: Registered) => {
    const url = `https://${hostname}/`;
    const body = { not_found_url: url, root_url: url, expired_url: 'https://www.acme.com/' };
    return service.call('PATCH', `/domains/${id}`, { workspace, body });
  };
  expect((await patch('acme', ours, theirs)).status).toBe(200);
  service.dns.setTexts(theirs.name, theirs.value);
  await service.waitForStatus('verified', theirs.id, 'globex');
  expect((await patch('globex', theirs, ours)).status).toBe(200);
  service.dns.setTexts(ours.name, ours.value);
  await service.waitForStatus('verified', ours.id);
  const kept = { not_found_url: null, root_url: null, expired_url: 'https://www.acme.com/' };
  expect(await show(ours.id)).toMatchObject(kept);
  await service.eventTypesOf(ours.id, 3);
  const removed = { from: `https://${theirs.hostname}/`, to: null };
  expect(service.eventsOf(ours.id)[2]).toMatchObject({
    type: 'domain.verified',
    audit: { changes: { not_found_url: removed, root_url: removed, status: { to: 'verified' } } },
    domain: kept,
  });
});

test('a not_found_url must not lead to a serving host but may lead to a registered one', async () => {
  await start();
  const [one, other] = [await verified(), await register()];
  const patch = (hostname: string) =>
    service.call('PATCH', `/domains/${other.id}`, { body: { not_found_url: `https://${hostname}/` } });
  expect((await patch(one.hostname.toUpperCase())).status).toBe(422);
  const third = await register();
  expect((await patch(third.hostname)).status).toBe(200);
  const urls = { root_url: `https://${one.hostname}/`, expired_url: `https://${third.hostname}/` };
  const { status, body } = await service.call('POST', '/domains', { body: { hostname: 'loops.acme.com', ...urls } });
  expect([status, Object.keys(body.error.details)]).toEqual([422, ['root_url']]);
});

test('a not_found_url that leads to a hostname of many workspaces writes none of their domains', async () => {
  await start(PATIENT);
  const [ours, theirs] = [await register('acme'), await register('globex')];
  await service.waitForStatus('verifying', theirs.id, 'globex');
  const database = await mongoose.createConnection(service.backing.MONGODB_URI).asPromise();
  try {
    const domains = database.collection<{ _id: string }>('domains');
    const { _id: _, ...like } = (await domains.findOne({ _id: theirs.id }))!;
    const others = Array.from({ length: 300 }, (_, index) => ({
      ...like,
      _id: `dom_${index}`,
      workspace: `w${index}`,
    }));
    await domains.insertMany(others);
    const body = { not_found_url: `https://${theirs.hostname}/` };
    expect((await service.call('PATCH', `/domains/${ours.id}`, { body })).status).toBe(200);
    expect(
      await domains
        .find({ _id: /^dom_\d+$/ })
        .sort({ _id: 1 })
        .toArray(),
    ).toEqual(others.toSorted((a, b) => (a._id < b._id ? -1 : 1)));
    expect(await database.collection('hostname_locks').countDocuments({})).toBe(64);
    const locked = await database
      .collection('hostname_locks')
      .find({ version: { $gt: 0 } })
      .toArray();
    expect([1, 2]).toContain(locked.length);
  } finally {
    await database.close();
  }
});

test.each([2, 3])(
  '%d domains that lead to each other and are verified concurrently make no redirect loop',
  async (length) => {
    await start();
    await service.addProcess();
    for (let round = 0; round < 6; round += 1) {
      const workspaces = ['acme', 'globex', 'initech'].slice(0, length);
      const circle = await Promise.all(workspaces.map((workspace) => register(workspace)));
      for (const [index, { id }] of circle.entries()) {
        const body = { not_found_url: `https://${circle[(index + 1) % length]!.hostname}` };
        expect((await service.call('PATCH', `/domains/${id}`, { workspace: workspaces[index]!, body })).status).toBe(
          200,
        );
      }
      for (const { name, value } of circle) service.dns.setTexts(name, value);
      await Promise.all(circle.map(({ id }, index) => verify(id, workspaces[index])));
      for (const [index, { id }] of circle.entries()) await service.waitForStatus('verified', id, workspaces[index]);
      const shown = await Promise.all(circle.map(({ id }, index) => show(id, workspaces[index])));
      expect(shown.filter(({ not_found_url }) => not_found_url === null).length).toBeGreaterThan(0);
    }
  },
);

describe('a check that is under way', () => {
  test('a running check of a deleted domain changes nothing', async () => {
    await start(PATIENT);
    const answers = service.dns.hold();
    const domain = await register();
    service.dns.setTexts(domain.name, domain.value);
    await waitFor('the question', () => answers.count() > 0);
    expect((await service.call('DELETE', `/domains/${domain.id}`)).status).toBe(204);
    answers.release();
    const later = await verified();
    await service.eventTypesOf(later.id, 2);
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.deleted']);
    expect(await ownerOf(domain)).toBeNull();
  });

  test('a running check is ignored when a newer one is requested', async () => {
    await start(PATIENT);
    const answers = service.dns.hold();
    const domain = await register();
    await waitFor('the question', () => answers.count() > 0);
    service.dns.setTexts(domain.name, domain.value);
    const asked = answers.count();
    expect((await verify(domain.id)).status).toBe(202);
    await waitFor('the next question', () => answers.count() > asked);
    answers.release();
    await service.waitForStatus('verified', domain.id);
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
  });

  describe('of a verified domain', () => {
    const UNHURRIED = { ...PATIENT, lookUpTimeoutMs: 15_000 };

    test('a miss of a verified domain counts although newer checks were requested', async () => {
      await start(UNHURRIED);
      const domain = await verified();
      service.dns.removeName(domain.name);
      const first = service.dns.hold();
      await verify(domain.id);
      await waitFor('the question', () => first.count() > 0);
      const later = service.dns.hold();
      await verify(domain.id);
      await waitFor('the next question', () => later.count() > 0);
      first.release();
      await service.waitForStatus('degraded', domain.id);
      service.dns.setTexts(domain.name, domain.value);
      const last = service.dns.hold();
      await verify(domain.id);
      await waitFor('the last question', () => last.count() > 0);
      last.release();
      await service.waitForStatus('verified', domain.id);
      later.release();
    });

    test('a check of a verified domain is ignored once a newer result is recorded', async () => {
      await start(UNHURRIED);
      const domain = await verified();
      const { last_checked_at: before } = await show(domain.id);
      service.dns.removeName(domain.name);
      const older = service.dns.hold();
      await verify(domain.id);
      await waitFor('the question', () => older.count() > 0);
      service.dns.setTexts(domain.name, domain.value);
      const newer = service.dns.hold();
      await verify(domain.id);
      await waitFor('the next question', () => newer.count() > 0);
      newer.release();
      await waitFor('the newer one', async () => (await show(domain.id)).last_checked_at !== before);
      older.release();
      await verify(domain.id);
      await checked(domain.id, 1);
      expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
    });
  });

  test('a running check keeps a concurrent change of the not_found_url', async () => {
    await start(PATIENT);
    const answers = service.dns.hold();
    const domain = await register();
    await waitFor('the question', () => answers.count() > 0);
    const not_found_url = 'https://www.acme.com/lost';
    await service.call('PATCH', `/domains/${domain.id}`, { body: { not_found_url } });
    service.dns.setTexts(domain.name, domain.value);
    answers.release();
    await verify(domain.id);
    await service.waitForStatus('verified', domain.id);
    expect((await show(domain.id)).not_found_url).toBe(not_found_url);
    expect(await service.eventTypesOf(domain.id, 3)).toEqual(['domain.created', 'domain.updated', 'domain.verified']);
    expect(service.eventsOf(domain.id)[2]!.domain).toMatchObject({ revision: 3, not_found_url });
  });

  test('another process repeats the check of a killed process', async () => {
    await start({ ...PATIENT, leaseMs: 1500, lookUpTimeoutMs: 60_000, runningMax: 1 });
    const answers = service.dns.hold();
    // The check of another domain takes the only slot of this test's process.
    await register();
    await waitFor('the first question', () => answers.count() > 0);
    const env = {
      ...process.env,
      ...service.settings,
      HOST: '127.0.0.1',
      PORT: '0',
      OPS_PORT: '0',
      TLS_ASK_PORT: '0',
      LOG_LEVEL: 'silent',
    };
    const victim = spawn(process.execPath, ['-e', processWith(service.options)], {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    await new Promise((resolve, reject) => victim.once('message', resolve).once('exit', reject));
    const domain = await register();
    await waitFor('the question of the other process', () => answers.count() > 2);
    const gone = new Promise((resolve) => victim.once('exit', resolve));
    victim.kill('SIGKILL');
    await gone;
    service.dns.setTexts(domain.name, domain.value);
    answers.release();
    await service.waitForStatus('verified', domain.id);
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
  });

  test('a check that outlasts its lease publishes nothing', async () => {
    await start({ ...QUICK, leaseMs: 200, lookUpTimeoutMs: 20_000 });
    const answers = service.dns.hold();
    const domain = await register();
    service.dns.setTexts(domain.name, domain.value);
    await waitFor('three checks of it', () => answers.count() > 4);
    answers.release();
    await service.waitForStatus('verified', domain.id);
    await checked(domain.id, 3);
    expect(await service.eventTypesOf(domain.id, 2)).toEqual(['domain.created', 'domain.verified']);
  });
});

test('slow name servers of one workspace do not delay another', async () => {
  await start({ ...PATIENT, runningMax: 4, lookUpTimeoutMs: 90_000 });
  const asked = new Set<string>();
  const silent = service.dns.hold((name) => name.endsWith('.silent.com') && asked.add(name).size > 0);
  const ours = [];
  for (let index = 0; index < 6; index += 1) ours.push(await register('acme', `go${index}.silent.com`));
  await waitFor('a question', () => silent.count() > 0);
  await verified('globex', 'go.globex.com', 'usr_globex');
  expect(asked.size).toBe(1);
  // The workspace's own checks run one after the other.
  for (const { name, value } of ours) service.dns.setTexts(name, value);
  silent.release();
  for (const { id } of ours) {
    await verify(id);
    await service.waitForStatus('verified', id);
  }
});

test('a domain is checked behind thousands of due checks of a busy workspace', async () => {
  await start({ ...PATIENT, runningMax: 4, lookUpTimeoutMs: 90_000 });
  const silent = service.dns.hold((name) => name.endsWith('.silent.com'));
  const { id } = await register('acme', 'go.silent.com');
  await waitFor('a question', () => silent.count() > 0);
  try {
    const backlog = await addBacklog(id, 2500);
    await verified('globex', 'go.globex.com', 'usr_globex');
    expect(await backlog.count()).toBe(2500);
  } finally {
    silent.release();
  }
});

test('many due checks run one after the other, without a pause between them', async () => {
  // With a pause for each, they would take more than an hour.
  await start({ ...PATIENT, pollMs: 5000 });
  const { id } = await register('acme', 'go.many.com');
  const backlog = await addBacklog(id, 1200);
  await waitFor('all checks', async () => (await backlog.count()) === 0, 100_000);
});

/** Adds due checks of the workspace and the user of a domain. */
async function addBacklog(id: string, size: number) {
  const database = await mongoose.createConnection(service.backing.MONGODB_URI).asPromise();
  connections.push(database);
  const domains = database.collection<{ _id: string }>('domains');
  const like = (await domains.findOne({ _id: id }))!;
  const due = Array.from({ length: size }, (_, index) => ({
    ...like,
    _id: `dom_${index}`,
    hostname: `go${index}.silent.com`,
    nextCheckAt: new Date(index),
  }));
  await domains.insertMany(due);
  return { count: () => domains.countDocuments({ workspace: 'acme', nextCheckAt: { $lt: new Date(size) } }) };
}

test('three processes publish each change of thirty domains exactly once', async () => {
  await start();
  await service.addProcess();
  await service.addProcess();
  const domains: Registered[] = [];
  while (domains.length < 30) domains.push(...(await Promise.all(Array.from({ length: 5 }, () => register()))));
  const all = (types: string[]) =>
    Promise.all(domains.map(async ({ id }) => expect(await service.eventTypesOf(id, types.length)).toEqual(types)));
  for (const { name, value } of domains) service.dns.setTexts(name, value);
  for (const { id } of domains) await service.waitForStatus('verified', id);
  for (const { name } of domains) service.dns.removeName(name);
  for (const { id } of domains) await service.waitForStatus('degraded', id);
  for (const { name, value } of domains) service.dns.setTexts(name, value);
  for (const { id } of domains) await service.waitForStatus('verified', id);
  await all(['domain.created', 'domain.verified', 'domain.degraded', 'domain.verified']);
  const revisions = domains.flatMap(({ id }) => service.eventsOf(id).map(({ domain }) => domain.revision));
  expect(revisions).toEqual(domains.flatMap(() => [1, 2, 3, 4]));
});

test('a host that served links of an erased workspace is gone, until another workspace serves it', async () => {
  await start();
  const served = await verified('erased-space');
  const unverified = await register('erased-space');
  const other = await verified('kept-space');
  const resolve = ({ hostname }: Registered) => service.requester.ask(resolveHost, { hostname }, 30_000);

  await service.deleteWorkspace('erased-space');
  const gone = { owner: null, is_gone: true };
  await waitFor('the erasure', async () => (await resolve(served)).is_gone);

  expect(await resolve(served)).toEqual(gone);
  expect(await resolve(unverified)).toEqual({ owner: null, is_gone: false });
  expect((await resolve(other)).owner).toMatchObject({ workspace: 'kept-space' });
  const database = await mongoose.createConnection(service.backing.MONGODB_URI).asPromise();
  try {
    const collections = await findCollectionsWith(database, [served.hostname]);
    // The outbox keeps the report that other services have not received yet.
    expect(collections.filter((name) => name !== 'outbox')).toEqual([]);
  } finally {
    await database.close();
  }

  const next = await verified('next-space', served.hostname);
  expect((await resolve(next)).owner).toMatchObject({ workspace: 'next-space' });
});
