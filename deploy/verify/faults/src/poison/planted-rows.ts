import mongoose from 'mongoose';
import { backing, type ProcessName } from '@waymark/launcher/process-table';
import type { Environment } from './environment.js';

const PAST = new Date(0);
const UNKNOWN_SLUG = 'no-such-workspace';

const OUTBOX = [
  { _id: 'evt_damaged', createdAt: PAST },
  { _id: 'evt_refused', createdAt: PAST, refusals: 'none' },
  { _id: 'evt_undated' },
];
const ERASURES = [{ _id: 'workspace:damaged', kind: 'workspace', subject: null, dueAt: PAST, passCount: 'none' }];

/**
 * Rows that no version of a service writes, where the loops of the services read them: each is due before any other.
 * By service and collection.
 */
const DAMAGED_ROWS: Partial<Record<ProcessName, Record<string, object[]>>> = {
  auth: {
    outbox: OUTBOX,
    mails: [
      { _id: 'mail_unclaimable', kind: 'password_reset', subject: 'usr_unknown', attempts: 'none', dueAt: PAST },
      { _id: 'mail_unreadable', kind: 'invitation', subject: { not: 'text' }, attempts: 0, dueAt: PAST },
    ],
  },
  resource: {
    outbox: OUTBOX,
    erasures: ERASURES,
    imports: [
      { _id: 'imp_unclaimable', workspace: UNKNOWN_SLUG, status: 'queued', attempts: 'none', leaseUntil: PAST },
      {
        _id: 'imp_empty',
        workspace: UNKNOWN_SLUG,
        status: 'queued',
        attempts: 0,
        leaseUntil: PAST,
        nextRow: 0,
        totalRows: 9,
      },
    ],
    domain_removals: [{ _id: 'dom_damaged', hostname: { not: 'text' }, leaseUntil: PAST, failures: 'many' }],
    links: [{ _id: 'lnk_damaged', workspace: UNKNOWN_SLUG, codeKeys: ['damaged'], tagIds: 'tag_damaged' }],
    tags: [{ _id: 'tag_damaged', workspace: UNKNOWN_SLUG, nameKey: 'tag_damaged', deletedAt: new Date(1) }],
  },
  analytics: {
    outbox: OUTBOX,
    erasures: ERASURES,
    pending_scans: [
      { rows: 7, rowCount: 1, leasedUntil: PAST, refusals: 0 },
      { rows: '["not a scan"]\n', rowCount: 1, lastScanned: null, leasedUntil: PAST, refusals: 'none' },
    ],
    pending_conversions: [{ rowCount: 'many', leasedUntil: PAST }],
    links: [
      { _id: 'lnk_damaged', workspace: UNKNOWN_SLUG, version: 'damaged', tagIds: null, next: 'load' },
      { _id: 'lnk_unknown', workspace: UNKNOWN_SLUG, next: 'ask' },
    ],
    conversions: [
      {
        _id: 'cnv_damaged',
        workspace: UNKNOWN_SLUG,
        status: 'pending',
        completion: { dueAt: PAST, context: '{', names: 7 },
      },
    ],
    retentions: [{ _id: UNKNOWN_SLUG, keptFrom: 'never' }],
  },
  webhook: {
    outbox: OUTBOX,
    erasures: ERASURES,
    endpoints: [
      { _id: 'whk_damaged', workspace: UNKNOWN_SLUG, eventTypes: null, dueAt: PAST, leaseUntil: PAST, leaseNo: 'none' },
      {
        _id: 'whk_without',
        workspace: UNKNOWN_SLUG,
        url: null,
        secrets: null,
        dueAt: PAST,
        leaseUntil: PAST,
        leaseNo: 0,
      },
    ],
    attempts: [
      { _id: { not: 'text' }, endpointId: 'whk_ordered' },
      { _id: 'att_damaged', endpointId: 'whk_without', status: 'pending', dueAt: PAST, body: null },
    ],
    purge_orders: [{ _id: 'whk_ordered', orderedAt: 'once' }],
    replays: [{ _id: 'whk_damaged', workspace: null, from: 'never' }],
  },
  domain: {
    outbox: OUTBOX,
    erasures: ERASURES,
    domains: [
      { _id: 'dom_unclaimable', workspace: UNKNOWN_SLUG, hostname: null, nextCheckAt: PAST, checkNo: 'none' },
      { _id: 'dom_damaged', workspace: UNKNOWN_SLUG, hostname: 7, nextCheckAt: PAST, checkNo: 0, statusSince: 'never' },
    ],
  },
  redirect: {
    erasures: ERASURES,
    targets: [
      { _id: 'lnk_damaged', deletedAt: null },
      { _id: 'lnk_empty', key: '/damaged', workspace: UNKNOWN_SLUG, deletedAt: null },
    ],
    hosts: [{ _id: 'dom_damaged', deletedAt: null }],
    workspace_states: [{ _id: UNKNOWN_SLUG, revision: 'none', isBlocked: 'no' }],
  },
  audit: { erasures: ERASURES },
};

/** Sound rows of a process that died: a loop that still works removes them. */
const LEFT_OVER_ROWS: Partial<Record<ProcessName, Record<string, object[]>>> = {
  resource: {
    domain_removals: [
      {
        ...{
          _id: 'dom_left',
          workspace: UNKNOWN_SLUG,
          hostname: 'left.example.com',
          event: { workspace: UNKNOWN_SLUG },
        },
        ...{ isLost: false, isReclaim: false, after: '', leaseUntil: PAST, leaseId: null, createdAt: PAST },
      },
    ],
    tags: [{ _id: 'tag_left', workspace: UNKNOWN_SLUG, nameKey: 'tag_left', linksCount: 0, deletedAt: new Date(2) }],
  },
  webhook: { purge_orders: [{ _id: 'whk_left', orderedAt: PAST }] },
};

/** Inserts the damaged rows, and after them the left-over ones. */
export async function plantRows(environment: Environment): Promise<void> {
  for (const rows of [DAMAGED_ROWS, LEFT_OVER_ROWS]) {
    await inEachCollection(environment, rows, (collection, documents) => collection.insertMany(documents));
  }
}

/** Returns the left-over rows that no loop has removed yet, as `service.collection`. */
export async function findLeftOver(environment: Environment): Promise<string[]> {
  const found: string[] = [];
  await inEachCollection(environment, LEFT_OVER_ROWS, async (collection, documents, place) => {
    const ids = documents.map(({ _id }) => _id);
    if ((await collection.countDocuments({ _id: { $in: ids } })) > 0) found.push(place);
  });
  return found;
}

interface Row {
  _id?: string | object;
}

async function inEachCollection(
  { system }: Environment,
  rows: typeof DAMAGED_ROWS,
  work: (collection: mongoose.Collection<Row>, documents: Row[], place: string) => Promise<unknown>,
): Promise<void> {
  for (const [name, collections] of Object.entries(rows) as [ProcessName, Record<string, object[]>][]) {
    const database = await mongoose.createConnection(backing(system.settings, name)['MONGODB_URI']!).asPromise();
    try {
      for (const [collection, documents] of Object.entries(collections)) {
        await work(database.collection<Row>(collection), documents, `${name}.${collection}`);
      }
    } finally {
      await database.close();
    }
  }
}
