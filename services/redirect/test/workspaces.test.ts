import { get } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { workspaceDeleted } from '@waymark/contract/erasures';
import {
  destinationBlocked,
  destinationUnblocked,
  domainVerified,
  linkBlocked,
  linkCreated,
  linkUnblocked,
  linkUpdated,
  workspaceResumed,
  workspaceSuspended,
} from '@waymark/contract/events';
import { findDestinationBlocks, resolveCode } from '@waymark/contract/requests';
import { serveRequests } from '@waymark/kernel/broker/requests';
import { freshBacking } from '@waymark/testing/backing';
import { findCollectionsWith } from '@waymark/testing/leftovers';
import { waitFor } from '@waymark/testing/wait-for';
import {
  Neighbours,
  sampleDomain,
  sampleLink,
  startRedirect,
  temporaryDirectory,
  type TestRedirect,
} from './support.js';

const backing = freshBacking();
const directories = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
let replicas: TestRedirect[];
let others: Neighbours;
let database: Connection;

const startReplica = (index: number) => startRedirect({ ...backing, SPOOL_DIR: directories[index]!.path });

beforeAll(async () => {
  replicas = [await startReplica(0), await startReplica(1)];
  others = await new Neighbours(backing).start();
  database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await others.stop();
  await database.close();
  for (const directory of directories) directory.remove();
});

const visit = async ({ url }: TestRedirect, code: string): Promise<number> =>
  (await fetch(`${url}/${code}`, { redirect: 'manual' })).status;
const statuses = (code: string) => Promise.all(replicas.map((replica) => visit(replica, code)));
const publish = (event: { type: string; id: string }) =>
  // An event is unroutable until a replica has declared its queue.
  waitFor('the queue', () =>
    others.publisher.publish(event.type, event.id, JSON.stringify(event)).then(
      () => true,
      () => false,
    ),
  );
const everywhere = (code: string, status: number) =>
  waitFor(`${status} of every replica`, async () => (await statuses(code)).every((each) => each === status));

/** The status of a path that no link has, on a custom host. */
function missStatus({ url }: TestRedirect, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`${url}/no/link`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).on('error', reject);
  });
}

async function newLink(workspace: string) {
  const link = sampleLink({ title: `Title in ${workspace}`, destination_url: `https://${workspace}.example/` });
  await publish(linkCreated.create({ workspace }, { link }));
  await everywhere(link.short_code, 302);
  return link;
}

test('links of a suspended workspace answer 451 at every replica, also cached ones, until it is resumed', async () => {
  const link = await newLink('suspended');
  const bystander = await newLink('bystander');
  const data = { revision: 1, reason: 'Spam', links: 'block' as const };
  await publish(workspaceSuspended.create({ workspace: 'suspended' }, data));
  await everywhere(link.short_code, 451);
  expect(await statuses(bystander.short_code)).toEqual([302, 302]);

  const late = await startReplica(2);
  await waitFor('451 of a new replica', async () => (await visit(late, link.short_code)) === 451);
  await late.stop();

  await publish(workspaceResumed.create({ workspace: 'suspended' }, { revision: 2 }));
  await everywhere(link.short_code, 302);
});

test('links of a suspended workspace lead on where the operator keeps them', async () => {
  const link = await newLink('kept');
  const data = { revision: 1, reason: 'Unpaid', links: 'keep' as const };
  await publish(workspaceSuspended.create({ workspace: 'kept' }, data));
  const isStored = () => database.collection('workspace_states').findOne({ _id: 'kept' } as never);
  await waitFor('the suspension', async () => (await isStored()) !== null);
  expect(await statuses(link.short_code)).toEqual([302, 302]);
});

test('links of a deleted workspace answer 410, and neither their destination nor their title is left', async () => {
  const link = await newLink('deleted-marker');
  // A report is of a link that the database has; visitors may know it from its event before.
  const isStored = () => database.collection('targets').findOne({ _id: link.id } as never);
  await waitFor('the link', async () => (await isStored()) !== null);
  const body = new URLSearchParams({ url: link.short_url, reason: 'spam' });
  await fetch(`${replicas[0]!.url}/-/report`, { method: 'POST', body });
  await waitFor('the report', async () => (await database.collection('link_reports').countDocuments({})) === 1);
  await publish(workspaceDeleted.create({ workspace: 'deleted-marker' }, { slug: 'deleted-marker' }));
  await everywhere(link.short_code, 410);
  const left = () => findCollectionsWith(database, ['deleted-marker']);
  await waitFor('an erased read model', async () => (await left()).join() === 'erasures');

  // A change that was on its way does not bring it back, also not once the tombstone has expired.
  const changed = linkUpdated.create({ workspace: 'deleted-marker' }, { link: { ...link, revision: 9 } });
  await publish(changed);
  await newLink('after');
  expect(await left()).toEqual(['erasures']);
  expect(await statuses(link.short_code)).toEqual([410, 410]);

  const late = await startReplica(2);
  await waitFor('410 of a new replica', async () => (await visit(late, link.short_code)) === 410);
  await late.stop();
});

test('a new replica knows all deleted workspaces, also more than it reads at once', async () => {
  const link = await newLink('zzz-last');
  const expiresAt = new Date(Date.now() + 3_600_000);
  const slugs = Array.from({ length: 1000 }, (_, index) => `page-${String(index).padStart(4, '0')}`);
  const erasures = [...slugs, 'zzz-last'].map((subject) => ({
    _id: `workspace:${subject}`,
    ...{ kind: 'workspace', subject, removed: {}, passCount: 6, failureCount: 0, orderedAt: new Date(), expiresAt },
  }));
  const rows = database.collection<{ _id: string }>('erasures');
  // The page begins with these.
  await rows.deleteMany({ _id: { $lt: `workspace:${slugs[0]}` } });
  await rows.insertMany(erasures);
  const late = await startReplica(2);
  await waitFor('410 of a new replica', async () => (await visit(late, link.short_code)) === 410);
  await late.stop();
});

test('a blocked link answers 451 at every replica until it is unblocked, also an archived one', async () => {
  const link = await newLink('operated');
  const blocked = { at: new Date().toISOString(), reason: 'Phishing' };
  await publish(linkBlocked.create({ workspace: 'operated' }, { link: { ...link, revision: 2, blocked } }));
  await everywhere(link.short_code, 451);
  const archived = { ...link, revision: 3, status: 'archived' as const, blocked };
  await publish(linkUpdated.create({ workspace: 'operated' }, { link: archived }));
  const late = await startReplica(2);
  await waitFor('451 of a new replica', async () => (await visit(late, link.short_code)) === 451);
  await late.stop();
  expect(await statuses(link.short_code)).toEqual([451, 451]);
  await publish(linkUnblocked.create({ workspace: 'operated' }, { link: { ...link, revision: 4, blocked: null } }));
  await everywhere(link.short_code, 302);
});

test('links to a blocked host and below it answer 451 at every replica, also cached ones and fallbacks, until it is unblocked', async () => {
  const link = await newLink('phish');
  const bystander = await newLink('notphish');
  const host = 'phish.example';
  const domain = sampleDomain({ not_found_url: `https://www.${host}/missing` });
  await others.tellDomain(domainVerified, domain);
  const statusOfMiss = () => missStatus(replicas[0]!, domain.hostname);
  await waitFor('the fallback', async () => (await statusOfMiss()) === 302);

  await publish(destinationBlocked.create({ workspace: null }, { host, revision: 1, is_blocked: true }));
  await everywhere(link.short_code, 451);
  expect([await statusOfMiss(), await statuses(bystander.short_code)]).toEqual([451, [302, 302]]);
  await publish(destinationUnblocked.create({ workspace: null }, { host, revision: 2, is_blocked: false }));
  await everywhere(link.short_code, 302);
  // The earlier event, once more.
  await publish(destinationBlocked.create({ workspace: null }, { host, revision: 1, is_blocked: true }));
  await newLink('afterwards');
  expect(await statuses(link.short_code)).toEqual([302, 302]);
});

test('a replica with an empty database asks the owner for the blocked hosts, and reads what another replica has stored', async () => {
  const empty = { ...freshBacking(), AMQP_NAMESPACE: `${backing.AMQP_NAMESPACE}-empty` };
  const owner = new Neighbours(empty);
  const link = sampleLink({ destination_url: 'https://lost.example/' });
  const inAnswer = sampleLink({ destination_url: 'https://told.example/' });
  const blockOf = (host: string) => ({ host, revision: 3, is_blocked: true });
  serveRequests(owner.broker, resolveCode, ({ short_code: code }) =>
    Promise.resolve({
      target: { workspace: 'lost', link: code === link.short_code ? link : inAnswer },
      destination_blocks: code === link.short_code ? [] : [blockOf('told.example')],
    }),
  );
  serveRequests(owner.broker, findDestinationBlocks, () => Promise.resolve({ blocks: [blockOf('lost.example')] }));
  await owner.start();
  const replica = await startRedirect({ ...empty, SPOOL_DIR: directories[2]!.path });
  await waitFor('451', async () => (await visit(replica, link.short_code)) === 451);
  // Already the first answer about a link says that its host is blocked.
  await waitFor('an answer', async () => (await visit(replica, inAnswer.short_code)) !== 503);
  expect(await visit(replica, inAnswer.short_code)).toBe(451);

  const stored = await mongoose.createConnection(empty.MONGODB_URI).asPromise();
  const rows = stored.collection<{ _id: string }>('destination_blocks');
  await waitFor('the stored block', () => rows.findOne({ _id: 'lost.example' }));
  await rows.updateOne({ _id: 'lost.example' }, { $set: { revision: 4, isBlocked: false } });
  await waitFor('302', async () => (await visit(replica, link.short_code)) === 302);
  await stored.close();
  await replica.stop();
  await owner.stop();
});
