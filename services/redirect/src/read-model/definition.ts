import type { SchemaDefinition } from 'mongoose';
import type { Event, EventDefinition } from '@waymark/shared/contract/event';
import type { WorkQueue } from '@waymark/shared/contract/queues';
import type { Requester } from '@waymark/shared/kernel/broker/requests';

/** What is known of one thing of another service, as of one revision: visitors find it at its key. */
export interface PlacedRecord {
  id: string;
  key: string;
  revision: number;
  /** Nothing is to be found there any more. */
  isGone: boolean;
  changedAt: Date;
}

/** A record made ready for visitors: everything that does not depend on the visitor is computed once. */
export interface Entry<R extends PlacedRecord> {
  record: R;
  /** After this the record is checked against the database, while it goes on serving. */
  checkAt: number;
}

/** What a lost event can cost: the record is wrong no longer than this. */
export const CHECK_AFTER_MS = 60_000;

/** One kind of thing that redirects depend on, and how this process comes to know of it. */
export interface ReadModelDefinition<R extends PlacedRecord, E extends Entry<R>, Place, Data> {
  collection: string;
  /** Of a stored record, beside those of every one. */
  fields: SchemaDefinition;
  /** Kept in memory. */
  entriesMax: number;
  /** Durable: keeps the collection current. */
  queue: WorkQueue;
  events: readonly EventDefinition<Data>[];
  /** What an event tells; `undefined` for one that tells nothing. */
  recordOf(event: Event<Data>): R | undefined;
  entryOf(record: R): E;
  keyOf(place: Place): string;
  /** Asks the service that owns the thing. */
  ask(requester: Requester, place: Place, timeoutMs: number): Promise<R | undefined>;
}
