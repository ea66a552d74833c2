import type { SchemaDefinition } from 'mongoose';
import type { Event, EventDefinition } from '@waymark/contract/event';
import type { WorkQueue } from '@waymark/contract/queues';
import type { Requester } from '@waymark/kernel/broker/requests';

/** One resource of another service, as of one revision. */
export interface ReadModelRecord {
  id: string;
  workspace: string;
  /** Where visitors find it. */
  key: string;
  /** Former keys under which visitors still find it. */
  aliases: string[];
  revision: number;
  /** Visitors no longer find it. */
  isGone: boolean;
  changedAt: Date;
}

export const keysOf = ({ key, aliases }: Pick<ReadModelRecord, 'key' | 'aliases'>): string[] => [key, ...aliases];

/** A record prepared for visits, in as little memory as possible: it holds only the fields that a visit needs. */
export interface Entry {
  id: string;
  workspace: string;
  keys: readonly string[];
  revision: number;
  /** In milliseconds. */
  changedAt: number;
  /** By `performance.now()`: after this the entry is checked against the database, while it continues to serve. */
  checkAt: number;
  /** The memory that it takes, rounded up. */
  bytes: number;
}

/** Bounds how long a record is wrong after a lost event. */
const CHECK_AFTER_MS = 60_000;
export const nextCheck = (): number => performance.now() + CHECK_AFTER_MS;

/** The entry itself, and its places in the maps and the list of the cache. */
const ENTRY_BYTES = 700;
/** A key without its characters: a string and its place in a map. */
const KEY_BYTES = 140;

/** Returns the part of an entry that every model has. @param textBytes the size of the texts that this model adds */
export function entryOf(record: ReadModelRecord, textBytes: number): Entry {
  const { id, workspace, revision, changedAt } = record;
  const keys = keysOf(record);
  const keyBytes = keys.reduce((sum, key) => sum + KEY_BYTES + key.length, 0);
  const bytes = ENTRY_BYTES + keyBytes + textBytes;
  return { id, workspace, keys, revision, changedAt: changedAt.getTime(), checkAt: nextCheck(), bytes };
}

/** One kind of resource that redirects depend on, and how this process learns of it. */
export interface ReadModelDefinition<R extends ReadModelRecord, E extends Entry, Address, Data> {
  collection: string;
  /** The fields of a stored record that only this model has. */
  fields: SchemaDefinition;
  /** A count that visits raise as well: a change never lowers it. */
  countField?: string;
  /** Durable: keeps the collection current. */
  queue: WorkQueue;
  events: readonly EventDefinition<Data>[];
  /** Returns the record of an event; `undefined` for an event without one. */
  recordOf(event: Event<Data>): R | undefined;
  /** @param before the entry of an earlier revision, if it is in memory */
  entryOf(record: R, before?: E): E;
  keyOf(place: Address): string;
  /** Asks the service that owns the resource. @returns `gone` for a place of a workspace that was erased */
  ask(requester: Requester, place: Address, timeoutMs: number): Promise<R | 'gone' | undefined>;
}
