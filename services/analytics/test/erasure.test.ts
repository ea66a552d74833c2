import type { mongo } from 'mongoose';
import { Idempotency } from '@waymark/kernel/http/idempotency';
import type { Database } from '@waymark/kernel/mongo/database';
import { freshBacking } from '@waymark/testing/backing';
import { ConversionStore } from '@waymark/analytics/conversions/conversion-store';
import { erasureSteps } from '@waymark/analytics/erasure-steps';
import { ScanStore } from '@waymark/analytics/ledger/scan-store';
import { LinkCopies } from '@waymark/analytics/links/link-copies';
import { TagStore } from '@waymark/analytics/links/tag-store';
import { openPendingTables, type PendingTables } from '@waymark/analytics/loading/pending-tables';
import { RetentionStore } from '@waymark/analytics/retention/retention-store';
import { openWarehouse, type OpenWarehouse } from './warehouse-harness.js';

/** Each has few documents: work that waits, and one position for each reclassification. */
const isSmall = (name: string): boolean => /^(outbox|reclassifications|pending_.*)$/.test(name);

interface Find {
  find: string;
  filter: Record<string, unknown>;
}

let open: OpenWarehouse;
let conversions: ConversionStore;
let copies: LinkCopies;
let pending: PendingTables;
const finds: Find[] = [];

beforeAll(async () => {
  const backing = freshBacking();
  const url = new URL(backing.MONGODB_URI);
  url.searchParams.set('monitorCommands', 'true');
  open = await openWarehouse({ ...backing, MONGODB_URI: url.href }, openStores);
  open.db.connection.getClient().on('commandStarted', ({ command }) => {
    if ('find' in command) finds.push(command as unknown as Find);
  });
});
afterAll(() => open.close());

function openStores(db: Database): void {
  conversions = new ConversionStore(db);
  copies = new LinkCopies(db);
  pending = openPendingTables(db);
  new RetentionStore(db);
  new ScanStore(db);
  new TagStore(db);
  new Idempotency(db);
}

/** True if the database finds the documents by an index: the filter has its first field, and all of its condition. */
const serves = ({ key, partialFilterExpression = {} }: mongo.IndexDescriptionInfo, { filter }: Find): boolean =>
  [Object.keys(key)[0]!, ...Object.keys(partialFilterExpression as object)].every((name) => name in filter);

test('an erasure reads only the documents of its subject, except in small collections', async () => {
  const { db, warehouse } = open;
  const { workspace, user } = erasureSteps({ db, warehouse, conversions, pending });
  finds.length = 0;
  for (const step of [...workspace, ...user]) await step.eraseBatch('acme', 10);
  const scanned: string[] = [];
  for (const find of finds.filter(({ find: name }) => !isSmall(name))) {
    const indexes = await db.connection.collection(find.find).indexes();
    if (!indexes.some((index) => serves(index, find))) scanned.push(find.find);
  }
  expect(finds.map(({ find }) => find)).toContain('deleted_holders');
  expect(scanned).toEqual([]);
});

test('an erasure removes the notes of detachments of its workspace alone', async () => {
  const { db, warehouse } = open;
  for (const slug of ['acme', 'other'])
    await copies.deleted.addDeletion({ workspace: slug, field: 'tagIds', id: slug });
  const { workspace } = erasureSteps({ db, warehouse, conversions, pending });
  for (const step of workspace) await step.eraseBatch('acme', 10);
  expect(await copies.deleted.findDeleted(['acme', 'other'])).toEqual(['other']);
});

test('the erasure of a user removes the actor of pending conversions, and leaves the actors of others', async () => {
  const { db, warehouse } = open;
  const contextOf = (id: string) => JSON.stringify({ workspace: 'acme', actor: { type: 'user', id } });
  const stored = ['usr_gone', 'usr_other'].map((id) => ({
    _id: `cnv_${id}`,
    workspace: 'acme',
    status: 'pending',
    completion: { names: {}, context: contextOf(id), dueAt: new Date() },
  }));
  const collection = db.connection.collection<{ _id: string }>('conversions');
  await collection.insertMany(stored);
  const { user } = erasureSteps({ db, warehouse, conversions, pending });
  for (const step of user) while ((await step.eraseBatch('usr_gone', 10)) > 0);
  const found = await collection.find<(typeof stored)[0]>({}).sort({ _id: 1 }).toArray();
  expect(found.map(({ completion }) => completion.context)).toEqual(['{"workspace":"acme"}', contextOf('usr_other')]);
});
