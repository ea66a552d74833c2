import { webhookEventsDeferred } from '@waymark/contract/events';
import { SERVICE_NAMES, type Row, type ServiceDatabases, type ServiceName } from './service-databases.js';

const PAST = new Date(0);
const DAY_MS = 24 * 3600 * 1000;
/** Sorts before the slug of every workspace. */
const UNKNOWN_SLUG = '0-unknown';

type PlantedRows = Partial<Record<ServiceName, Record<string, Row[]>>>;

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
const DAMAGED_ROWS: PlantedRows = {
  auth: {
    outbox: OUTBOX,
    erasures: ERASURES,
    // Its scans cannot expire.
    workspaces: [{ _id: UNKNOWN_SLUG, name: UNKNOWN_SLUG, plan: 'none', memberChanges: 0 }],
    failed_sign_ins: [
      { _id: { not: 'text' }, userId: null, count: 1, dueAt: PAST },
      { _id: 'usr_damaged', userId: { not: 'text' }, count: 'many', dueAt: PAST },
    ],
    tokens: [
      { _id: { not: 'text' }, hash: 'damaged', refusals: 1 },
      { _id: 'tok_damaged', hash: 'tok_damaged', userId: { not: 'text' }, name: 7, refusals: 1 },
    ],
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
    scans: [
      { _id: 'scn_damaged', workspace: UNKNOWN_SLUG, linkId: 'lnk_damaged', scannedAt: new Date(DAY_MS), city: 7 },
    ],
    unfilled_workspaces: [{ _id: UNKNOWN_SLUG, failures: 'many', retryAt: PAST }],
    sightings: [{ _id: { not: 'text' } }, { _id: '1970-01-01' }],
    deleted_holders: [
      { _id: 'fld_damaged', detachment: { dueAt: PAST } },
      {
        _id: 'tag_damaged',
        deletedAt: PAST,
        detachment: { workspace: UNKNOWN_SLUG, field: 'tagIds', dueAt: PAST },
      },
    ],
    links: [
      { _id: 'lnk_tagged', workspace: UNKNOWN_SLUG, tagIds: 'tag_damaged' },
      { _id: 7, workspace: UNKNOWN_SLUG, next: 'ask' },
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
    // The database sorts a regular expression behind every time.
    retentions: [{ _id: UNKNOWN_SLUG, keptFrom: /never/ }],
  },
  webhook: {
    outbox: OUTBOX,
    erasures: ERASURES,
    endpoints: [
      { _id: 'whk_damaged', workspace: UNKNOWN_SLUG, eventTypes: null, dueAt: PAST, leaseUntil: PAST, leaseNo: 'none' },
      {
        _id: 'whk_unsealed',
        workspace: UNKNOWN_SLUG,
        secrets: [{ keyId: 7, expiresAt: PAST }, { expiresAt: 'never' }, null],
        revision: 0,
      },
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
  audit: {
    outbox: OUTBOX,
    erasures: ERASURES,
    heads: [{ _id: UNKNOWN_SLUG, seq: 'none' }],
    waiting_entries: [
      { _id: 'aud_damaged', workspace: UNKNOWN_SLUG, number: null },
      { _id: 'aud_unsigned', workspace: UNKNOWN_SLUG, number: 1, signature: 7 },
    ],
  },
};

/** A scan that no plan but the unlimited one keeps. */
export const EXPIRED_SCAN = { _id: 'scn_expired', scannedAt: new Date('2020-01-01T12:00:00Z') };
/** The time from which scans are kept after an expiry that ended before it came to the warehouse. */
export const leftOverRetention = (workspace: string) =>
  ({
    analytics: { retentions: [{ _id: workspace, keptFrom: new Date('2020-01-02T00:00:00Z') }] },
  }) satisfies PlantedRows;

/** A sound event, which no service has to do anything for. */
const leftOverEvent = (): Row[] => {
  const event = webhookEventsDeferred.create({ workspace: UNKNOWN_SLUG }, { events: [] });
  return [{ _id: event.id, type: event.type, body: JSON.stringify(event), createdAt: new Date(1) }];
};

/** Sound rows of a process that died, due behind the damaged ones: a loop that still works removes them. */
export const leftOverRows = (workspace: string) =>
  ({
    auth: {
      outbox: leftOverEvent(),
      failed_sign_ins: [{ _id: 'usr_left', userId: 'usr_left', count: 3, ipAddress: null, dueAt: new Date(2) }],
    },
    resource: {
      outbox: leftOverEvent(),
      domain_removals: [
        {
          ...{ _id: 'dom_left', workspace, hostname: 'left.example.com', event: { workspace }, createdAt: PAST },
          ...{ isLost: false, isReclaim: false, after: '', leaseUntil: new Date(2), leaseId: null },
        },
      ],
      tags: [{ _id: 'tag_left', workspace, nameKey: 'tag_left', linksCount: 0, deletedAt: new Date(2) }],
    },
    analytics: {
      outbox: leftOverEvent(),
      sightings: [{ _id: '2020-01-01:lnk_left:visitor' }],
      unfilled_workspaces: [{ _id: workspace, failures: 1, error: 'left', retryAt: new Date(2) }],
      scans: [scanOf(workspace, EXPIRED_SCAN)],
    },
    webhook: { outbox: leftOverEvent(), purge_orders: [{ _id: 'whk_purged', orderedAt: PAST }] },
    domain: { outbox: leftOverEvent() },
    audit: { outbox: leftOverEvent() },
  }) satisfies PlantedRows;

/** Returns a scan as analytics stores it. */
export const scanOf = (workspace: string, { _id, scannedAt }: { _id: string; scannedAt: Date }): Row => ({
  ...{ _id, batch: _id, workspace, linkId: 'lnk_left', shortCode: 'left', scannedAt, trigger: 'link' },
  ...{ country: 'unknown', region: 'unknown', city: 'unknown', device: 'desktop', browser: 'unknown', os: 'unknown' },
  ...{ referrer: 'unknown', campaign: null, visitor: null, isUnique: false, isBot: false, botReason: null },
});

export const plantDamaged = (databases: ServiceDatabases): Promise<void> => plantRows(databases, DAMAGED_ROWS);

export async function plantRows(databases: ServiceDatabases, rows: PlantedRows): Promise<void> {
  for (const [service, name, documents] of collectionsIn(rows)) {
    await databases.collection(service, name).insertMany(documents);
  }
}

/** The comparison of all scans with the warehouse would find the one that no warehouse takes. */
export async function removeDamagedScans(databases: ServiceDatabases): Promise<void> {
  for (const { _id } of DAMAGED_ROWS.analytics!['scans']!) {
    await databases.collection('analytics', 'scans').deleteOne({ _id });
  }
}

/** Returns a check for each collection of whether none of these rows is left, by `service.collection`. */
export function removalChecks(databases: ServiceDatabases, rows: PlantedRows): Record<string, () => Promise<boolean>> {
  const checks = collectionsIn(rows).map(([service, name, documents]) => {
    const ids = documents.map(({ _id }) => _id);
    return [`${service}.${name}`, async () => !(await databases.has(service, name, { _id: { $in: ids } }))] as const;
  });
  return Object.fromEntries(checks);
}

const collectionsIn = (rows: PlantedRows): [ServiceName, string, Row[]][] =>
  SERVICE_NAMES.flatMap((service) =>
    Object.entries(rows[service] ?? {}).map(([name, documents]): [ServiceName, string, Row[]] => [
      service,
      name,
      documents,
    ]),
  );
