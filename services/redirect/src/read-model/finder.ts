import type { Requester } from '@waymark/kernel/broker/requests';
import type { Log } from '@waymark/kernel/process/log';
import { withTimeout } from '@waymark/kernel/async/with-timeout';
import type { Entry, PlacedRecord, ReadModelDefinition } from './definition.js';
import type { KnownKeys } from './known-keys.js';
import type { RecordCache } from './record-cache.js';
import type { RecordStore } from './record-store.js';
import { SharedPlaces } from './shared-places.js';

const STORE_TIMEOUT_MS = 120;
/** Guesses must neither pile up unbounded work nor take the places of other visitors. */
const LOOKUPS_MAX = { places: 500, visitor: 32, network: 128 };

/** Neither the database nor the owning service answered in time, or too many look-ups are under way. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** The visitor or its network already has its full share of the look-ups under way. */
export class TooManyLookUps extends Error {
  override readonly name = 'TooManyLookUps';
}

export interface FinderParts<R extends PlacedRecord, E extends Entry, Place> {
  definition: Pick<ReadModelDefinition<R, E, Place, never>, 'keyOf' | 'ask'>;
  cache: RecordCache<R, E>;
  store: RecordStore<R>;
  requester: Requester;
  keys: KnownKeys;
  log: Log;
  /** Counts the look-ups. */
  lookUps: { inc(): void };
}

/** Looks up keys that are not in memory; concurrent requests for one key share one look-up. */
export class Finder<R extends PlacedRecord, E extends Entry, Place> {
  private readonly inFlight = new Map<string, Promise<E | undefined>>();
  private readonly places = new SharedPlaces(LOOKUPS_MAX);

  constructor(private readonly parts: FinderParts<R, E, Place>) {}

  /**
   * @param deadline by `performance.now()`
   * @param visitor has a share of the places, as its network has; `null` if it is unknown
   * @throws Unanswered at the deadline at the latest; TooManyLookUps beyond the visitor's share
   */
  find(place: Place, deadline: number, visitor: string | null): Promise<E | undefined> {
    const key = this.parts.definition.keyOf(place);
    const known = this.parts.cache.known(key);
    if (known) return Promise.resolve(known === 'absent' ? undefined : known);
    const running = this.inFlight.get(key);
    if (running) return running;
    const outcome = this.places.acquire(visitor);
    if (outcome === 'visitor_full') return Promise.reject(new TooManyLookUps());
    if (outcome === 'full') return Promise.reject(new Unanswered('too many look-ups at once'));
    this.parts.lookUps.inc();
    const finding = this.lookUp(key, place, deadline).finally(() => {
      this.inFlight.delete(key);
      this.places.release(visitor);
    });
    this.inFlight.set(key, finding);
    return finding;
  }

  private async lookUp(key: string, place: Place, deadline: number): Promise<E | undefined> {
    const { cache } = this.parts;
    const record = await this.ask(key, place, deadline);
    if (record) cache.apply(record);
    const known = cache.known(key);
    if (known !== undefined && known !== 'absent') return known;
    cache.rememberMiss(key);
    return undefined;
  }

  private async ask(key: string, place: Place, deadline: number): Promise<R | undefined> {
    const stored = await this.findStored(key, deadline);
    if (stored && !stored.isGone) return stored;
    try {
      return await this.askOwner(place, Math.floor(deadline - performance.now()));
    } catch (error) {
      // The owner did not answer: the key may have a new record, but the stored one is gone.
      if (stored) return undefined;
      throw new Unanswered('nobody could tell', { cause: error });
    }
  }

  private async findStored(key: string, deadline: number): Promise<R | undefined> {
    const { store, log } = this.parts;
    if (!store.isReady) return undefined;
    try {
      const timeoutMs = Math.min(STORE_TIMEOUT_MS, Math.floor(deadline - performance.now()));
      return await withTimeout(timeoutMs, store.find(key), () => new Unanswered(`no answer within ${timeoutMs} ms`));
    } catch (error) {
      log.debug({ err: error }, 'read model not readable');
      return undefined;
    }
  }

  private async askOwner(place: Place, timeoutMs: number): Promise<R | undefined> {
    const { definition, requester, store, keys, log } = this.parts;
    if (timeoutMs <= 0) throw new Unanswered('no time left to ask');
    const record = await definition.ask(requester, place, timeoutMs);
    if (!record) return undefined;
    keys.add(record);
    // Not awaited: the record's own event writes the same.
    void store.save([record]).catch((error: unknown) => log.debug({ err: error }, 'record not saved'));
    return record;
  }
}
