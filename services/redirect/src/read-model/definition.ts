import type { SchemaDefinition } from 'mongoose';
import type { Event, EventDefinition } from '@waymark/shared/contract/event';
import type { WorkQueue } from '@waymark/shared/contract/queues';
import type { Requester } from '@waymark/shared/kernel/broker/requests';

/** What is known of one thing of another service, as of one revision. */
export interface PlacedRecord {
  id: string;
  /** Where visitors find it. */
  key: string;
  /** Where they find it as well, since it was there before. */
  aliases: string[];
  revision: number;
  /** Nothing is to be found there any more. */
  isGone: boolean;
  changedAt: Date;
}

export const keysOf = ({ key, aliases }: PlacedRecord): string[] => [key, ...aliases];

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
