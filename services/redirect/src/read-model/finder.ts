import type { Requester } from '@waymark/kernel/broker/requests';
import type { Log } from '@waymark/kernel/process/log';
import { withTimeout } from '@waymark/kernel/async/with-timeout';
import type { Entry, ReadModelRecord, ReadModelDefinition } from './definition.js';
import type { KnownKeys } from './known-keys.js';
import type { Miss, RecordCache } from './record-cache.js';
import type { RecordStore } from './record-store.js';
import { LookupPermits, type PermitShares } from './lookup-permits.js';

const STORE_TIMEOUT_MS = 120;
/** Guesses must neither pile up unbounded work nor take the permits of other visitors. */
const LOOKUPS_MAX = 500;
const SHARES: PermitShares = { visitor: 32, network: 128 };
/** Few enough that guesses leave most of both shares to the visits of links. */
const GUESSER_SHARES: PermitShares = { visitor: 4, network: 16 };

/** Neither the database nor the owning service answered in time, or too many look-ups are under way. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed';
}

/** The visitor or its network already has its full share of the look-ups under way. */
export class TooManyLookups extends Error {
  override readonly name = 'TooManyLookups';
}

export interface LookupVisitor {
  /** `null` if it is unknown: no share of the permits applies. */
  address: string | null;
  /** True beyond the limit of misses, for a key that no filter contains. */
  isGuessing: boolean;
}

export interface FinderContext<R extends ReadModelRecord, E extends Entry, Address> {
  definition: Pick<ReadModelDefinition<R, E, Address, never>, 'keyOf' | 'ask'>;
  cache: RecordCache<R, E>;
  store: RecordStore<R>;
  requester: Requester;
  keys: KnownKeys;
  log: Log;
  /** Counts the look-ups. */
  lookUps: { inc(): void };
}

/** Looks up keys that are not in memory; concurrent requests for one key share one look-up. */
export class Finder<R extends ReadModelRecord, E extends Entry, Address> {
  private readonly inFlight = new Map<string, Promise<E | Miss>>();
  private readonly permits = new LookupPermits(LOOKUPS_MAX);

  constructor(private readonly ctx: FinderContext<R, E, Address>) {}

  /**
   * @param deadline by `performance.now()`
   * @param visitor has a share of the permits, as its network has
   * @throws LookupFailed at the deadline at the latest; TooManyLookups beyond the visitor's share
   */
  findEntry(address: Address, deadline: number, visitor: LookupVisitor): Promise<E | Miss> {
    const key = this.ctx.definition.keyOf(address);
    const known = this.ctx.cache.known(key);
    if (known) return Promise.resolve(known);
    const running = this.inFlight.get(key);
    if (running) return running;
    const outcome = this.permits.acquire(visitor.address, visitor.isGuessing ? GUESSER_SHARES : SHARES);
    if (outcome === 'visitor_full') return Promise.reject(new TooManyLookups());
    if (outcome === 'full') return Promise.reject(new LookupFailed('too many look-ups at once'));
    this.ctx.lookUps.inc();
    const finding = this.lookUp(key, address, deadline).finally(() => {
      this.inFlight.delete(key);
      this.permits.release(visitor.address);
    });
    this.inFlight.set(key, finding);
    return finding;
  }

  isFinding(address: Address): boolean {
    return this.inFlight.has(this.ctx.definition.keyOf(address));
  }

  private async lookUp(key: string, address: Address, deadline: number): Promise<E | Miss> {
    const { cache } = this.ctx;
    const found = await this.findRecord(key, address, deadline);
    if (found && found !== 'gone') cache.apply(found);
    const known = cache.known(key);
    if (typeof known === 'object') return known;
    const miss = found === 'gone' ? 'gone' : 'absent';
    cache.rememberMiss(key, miss);
    return miss;
  }

  private async findRecord(key: string, address: Address, deadline: number): Promise<R | 'gone' | undefined> {
    const stored = await this.findStored(key, deadline);
    if (stored && !stored.isGone) return stored;
    try {
      return await this.askOwner(address, Math.floor(deadline - performance.now()));
    } catch (error) {
      // The owner did not answer: the key may have a new record, but the stored one is gone.
      if (stored) return undefined;
      throw new LookupFailed('the owning service did not answer', { cause: error });
    }
  }

  private async findStored(key: string, deadline: number): Promise<R | undefined> {
    const { store, log } = this.ctx;
    if (!store.isReady) return undefined;
    const query = new AbortController();
    try {
      const timeoutMs = Math.min(STORE_TIMEOUT_MS, Math.floor(deadline - performance.now()));
      const found = store.find(key, query.signal);
      return await withTimeout(timeoutMs, found, () => new LookupFailed(`no answer within ${timeoutMs} ms`));
    } catch (error) {
      log.debug({ err: error }, 'read model not readable');
      return undefined;
    } finally {
      query.abort();
    }
  }

  private async askOwner(address: Address, timeoutMs: number): Promise<R | 'gone' | undefined> {
    const { definition, requester, store, keys, log } = this.ctx;
    if (timeoutMs <= 0) throw new LookupFailed('no time left for a request');
    const record = await definition.ask(requester, address, timeoutMs);
    if (!record || record === 'gone') return record;
    keys.add(record);
    // Not awaited: the record's own event writes the same.
    void store.save([record]).catch((error: unknown) => log.debug({ err: error }, 'record not saved'));
    return record;
  }
}
