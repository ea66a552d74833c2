import type { mongo } from 'mongoose';
import type { ErasureKind } from '@waymark/contract/erasures';
import { envelope, type Event } from '@waymark/contract/event';
import type { Database } from '../mongo/database.js';

/** Erases the data of one collection. */
export interface ErasureStep {
  /** The name of the collection, as the report has it. */
  name: string;
  /**
   * Removes or anonymizes up to about `limit` documents. Idempotent, and may run in two processes at once.
   * @param email of a user, as long as the service keeps it
   * @returns how many; 0 once none is left
   */
  eraseBatch: (subject: string, limit: number, email?: string) => Promise<number>;
}

/** All steps of a service in their order. */
export type ErasureSteps = Readonly<Record<ErasureKind, readonly ErasureStep[]>>;

type Row = mongo.Document & { _id: string };
/** Selects documents of any collection. */
export type RowFilter = mongo.Filter<Row>;
type FilterOf = (subject: string) => RowFilter;

interface OutboxRow {
  _id: string;
  type: string;
  /** The event as JSON. */
  body: string;
  /** The erased users whose data the event has lost. Their ids stay in the body. */
  redactedUsers?: string[];
}

const collectionOf = (db: Database, name: string): mongo.Collection<Row> =>
  db.connection.collection(name) as unknown as mongo.Collection<Row>;

const outboxOf = (db: Database): mongo.Collection<OutboxRow> =>
  db.connection.collection('outbox') as unknown as mongo.Collection<OutboxRow>;

/** An event has up to 8 MiB: more of them at a time could fill the heap while the broker is unavailable. */
const EVENTS_AT_ONCE = 4;

interface WaitingEvents {
  /** Without the body. */
  filter: mongo.Filter<OutboxRow>;
  /** The bodies contain this text. */
  text: string;
  limit: number;
}

/** Returns the new fields of an event, or `null` to remove it. */
type ChangeEvent = (event: Event<Record<string, unknown>>, row: OutboxRow) => Partial<OutboxRow> | null;

/**
 * Changes up to `limit` waiting events, each in a transaction of its own, because another erasure may change the same one,
 * and removes those that become `null`. Also removes damaged events: they would stop the erasure for good, and no consumer
 * can read them; published, they would stay in a queue of parked messages with their personal data.
 * @returns how many
 * @throws after all others are changed, when some were damaged: the next batch finds the rest
 */
async function changeWaiting(db: Database, events: WaitingEvents, change: ChangeEvent): Promise<number> {
  const outbox = outboxOf(db);
  const ids = await findWaiting(outbox, events);
  const damaged: string[] = [];
  for (const id of ids) {
    const removed = await db.transaction(async ({ session }) => {
      const _id = { $eq: id };
      const row = await outbox.findOne({ _id }, { session });
      if (!row) return null;
      const { isDamaged, changed } = tryToChange(row, change);
      await (changed
        ? outbox.updateOne({ _id }, { $set: changed }, { session })
        : outbox.deleteOne({ _id }, { session }));
      return isDamaged ? `${JSON.stringify(id)} of type ${JSON.stringify(row.type)}` : null;
    });
    if (removed) damaged.push(removed);
  }
  if (damaged.length > 0)
    throw new Error(`damaged events removed from the outbox: ${damaged.length}, first ${damaged[0]}`);
  return ids.length;
}

async function findWaiting(
  outbox: mongo.Collection<OutboxRow>,
  { filter, text, limit }: WaitingEvents,
): Promise<string[]> {
  const named = outbox.find({ ...filter, body: { $regex: text } }, { projection: { _id: 1 } }).limit(limit);
  const ids = new Set((await named.toArray()).map(({ _id }) => _id));
  if (ids.size === limit) return [...ids];
  // No query finds the text in a body that is an object.
  const isNoText = [{ body: { $not: { $type: 'string' } } }, { body: { $type: 'array' } }];
  const withoutText = { ...filter, $or: isNoText } as mongo.Filter<OutboxRow>;
  for await (const { _id, body } of outbox.find(withoutText, { batchSize: EVENTS_AT_ONCE })) {
    if (JSON.stringify(body)?.includes(text)) ids.add(_id);
    if (ids.size === limit) break;
  }
  return [...ids];
}

function tryToChange(row: OutboxRow, change: ChangeEvent): { isDamaged: boolean; changed: Partial<OutboxRow> | null } {
  try {
    const event = JSON.parse(row.body) as Event<Record<string, unknown>>;
    envelope.parse(event);
    return { isDamaged: false, changed: change(event, row) };
  } catch {
    // The error of the parser would show the start of the body, which may be personal data.
    return { isDamaged: true, changed: null };
  }
}

/** Finds the ids of some documents that match. */
export async function findIds(
  db: Database,
  name: string,
  { filter, limit }: { filter: RowFilter; limit: number },
): Promise<string[]> {
  const rows = collectionOf(db, name).find(filter, { projection: { _id: 1 } });
  return (await rows.limit(limit).toArray()).map(({ _id }) => _id).sort();
}

/** Removes the documents that match. */
export function removeWhere(db: Database, name: string, filterOf: FilterOf): ErasureStep {
  return {
    name,
    eraseBatch: async (subject, limit) => {
      const ids = await findIds(db, name, { filter: filterOf(subject), limit });
      if (ids.length > 0) await collectionOf(db, name).deleteMany({ _id: { $in: ids } });
      return ids.length;
    },
  };
}

/** Changes the documents that match; after the change they must no longer match. */
export function updateWhere(
  db: Database,
  name: string,
  { filterOf, update }: { filterOf: FilterOf; update: mongo.UpdateFilter<Row> },
): ErasureStep {
  return {
    name,
    eraseBatch: async (subject, limit) => {
      const filter = filterOf(subject);
      const ids = await findIds(db, name, { filter, limit });
      if (ids.length > 0) await collectionOf(db, name).updateMany({ ...filter, _id: { $in: ids } }, update);
      return ids.length;
    },
  };
}

/** Removes documents that name their workspace. */
export const removeOfWorkspace = (db: Database, name: string): ErasureStep =>
  removeWhere(db, name, (workspace) => ({ workspace }));

/** `0` is the character after `/`. */
export const removeQuotas = (db: Database): ErasureStep =>
  removeWhere(db, 'quotas', (slug) => ({ _id: { $gt: `${slug}/`, $lt: `${slug}0` } }));

/**
 * Removes waiting events of the workspace, and its parts of events that carry data of several ones. The outbox is small,
 * so it needs no index for this; the order itself and the reports stay.
 */
export const removeOutboxEvents = (db: Database): ErasureStep => ({
  name: 'outbox',
  eraseBatch: (slug, limit) => {
    const filter = { type: { $not: /\.erased$|^workspace\.deleted$/ } };
    return changeWaiting(db, { filter, text: `"workspace":"${slug}"`, limit }, (event) => {
      const left = withoutWorkspace(event, slug);
      return left && { body: JSON.stringify(left) };
    });
  },
});

/** Returns the event without its items of the workspace; null if nothing is left. */
function withoutWorkspace(event: Event<Record<string, unknown>>, slug: string): Event | null {
  if (event.workspace === slug) return null;
  const isOther = (item: unknown) => (item as { workspace?: unknown } | null)?.workspace !== slug;
  const lists = Object.entries(event.data).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.filter(isOther) : value,
  ]);
  const left = { ...event, data: Object.fromEntries(lists) as Record<string, unknown> };
  const isEmpty = Object.values(left.data).every((value) => Array.isArray(value) && value.length === 0);
  return isEmpty || JSON.stringify(left).includes(`"workspace":"${slug}"`) ? null : left;
}

/** Removes the personal data of a user from waiting events. */
export const redactOutboxEvents = (db: Database): ErasureStep => ({
  name: 'outbox',
  eraseBatch: (userId, limit) => {
    const filter = { type: { $not: /\.erased$/ }, redactedUsers: { $ne: userId } };
    return changeWaiting(db, { filter, text: userId, limit }, (event, { redactedUsers }) => {
      const earlier = Array.isArray(redactedUsers) ? redactedUsers : [];
      return { body: JSON.stringify(redactEvent(event, userId)), redactedUsers: [...earlier, userId] };
    });
  },
});

function redactEvent(event: Event<Record<string, unknown>>, userId: string): Event {
  const { actor, audit, data } = event;
  const target = audit?.target;
  const [isBy, isAbout] = [actor.id === userId, target?.id === userId];
  return {
    ...event,
    ip_address: isBy || isAbout ? null : event.ip_address,
    actor: isBy ? { ...actor, name: null, email: null, token: actor.token && { ...actor.token, name: null } } : actor,
    audit: target && isAbout ? { target: { ...target, label: null }, changes: {} } : audit,
    data: data['user_id'] === userId && 'email' in data ? { ...data, email: '' } : data,
  };
}
