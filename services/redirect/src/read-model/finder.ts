import type { Requester } from '@waymark/kernel/broker/requests';
import type { Log } from '@waymark/kernel/process/log';
import { withTimeout } from '@waymark/kernel/with-timeout';
import type { Entry, ReadModelRecord, ReadModelDefinition } from './definition.js';
import type { Miss, RecordCache } from './record-cache.js';
import type { RecordStore } from './record-store.js';

const STORE_TIMEOUT_MS = 120;

/** Neither the database nor the owning service answered in time. */
export class LookupFailed extends Error {
  override readonly name = 'LookupFailed';
}

export interface LookUp {
  /** By `performance.now()`. */
  deadline: number;
  /** Whether the owning service is asked for a key that the database does not have: its event may be on its way. */
  asksOwner: boolean;
}

export interface FinderContext<R extends ReadModelRecord, E extends Entry, Address> {
  definition: Pick<ReadModelDefinition<R, E, Address, never>, 'keyOf' | 'ask'>;
  cache: RecordCache<R, E>;
  store: RecordStore<R>;
  requester: Requester;
  log: Log;
  /** Counts the look-ups. */
  lookUps: { inc(): void };
}

/** Looks up keys that are not in memory; concurrent requests for one key that may ask the same share one look-up. */
export class Finder<R extends ReadModelRecord, E extends Entry, Address> {
  private readonly inFlight = new Map<string, Promise<E | Miss>>();

  constructor(private readonly ctx: FinderContext<R, E, Address>) {}

  /** @throws LookupFailed at the deadline at the latest */
  findEntry(address: Address, lookUp: LookUp): Promise<E | Miss> {
    const key = this.ctx.definition.keyOf(address);
    const known = this.ctx.cache.known(key);
    if (known) return Promise.resolve(known);
    const shared = `${lookUp.asksOwner} ${key}`;
    const running = this.inFlight.get(shared);
    if (running) return running;
    this.ctx.lookUps.inc();
    const finding = this.lookUp(key, address, lookUp).finally(() => this.inFlight.delete(shared));
    this.inFlight.set(shared, finding);
    return finding;
  }

  private async lookUp(key: string, address: Address, { deadline, asksOwner }: LookUp): Promise<E | Miss> {
    const { cache } = this.ctx;
    const found = asksOwner ? await this.findRecord(key, address, deadline) : await this.findStored(key, deadline);
    if (found && found !== 'gone') cache.apply(found);
    const known = cache.known(key);
    if (typeof known === 'object') return known;
    const miss = found === 'gone' ? 'gone' : 'absent';
    if (asksOwner) cache.rememberMiss(key, miss);
    return miss;
  }

  private async findRecord(key: string, address: Address, deadline: number): Promise<R | 'gone' | undefined> {
    try {
      const stored = await this.findStored(key, deadline);
      if (stored) return stored;
    } catch (error) {
      this.ctx.log.debug({ err: error }, 'read model not readable');
    }
    return this.askOwner(address, Math.floor(deadline - performance.now()));
  }

  private async findStored(key: string, deadline: number): Promise<R | undefined> {
    const { store } = this.ctx;
    if (!store.isReady) throw new LookupFailed('the database is not reachable');
    const query = new AbortController();
    try {
      const timeoutMs = Math.min(STORE_TIMEOUT_MS, Math.floor(deadline - performance.now()));
      const found = store.find(key, query.signal);
      return await withTimeout(timeoutMs, found, () => new LookupFailed(`no answer within ${timeoutMs} ms`));
    } finally {
      query.abort();
    }
  }

  private async askOwner(address: Address, timeoutMs: number): Promise<R | 'gone' | undefined> {
    const { definition, requester, store, log } = this.ctx;
    if (timeoutMs <= 0) throw new LookupFailed('no time left for a request');
    const record = await definition.ask(requester, address, timeoutMs).catch((error: unknown) => {
      throw new LookupFailed('the owning service did not answer', { cause: error });
    });
    if (!record || record === 'gone') return record;
    // Not awaited: the record's own event writes the same.
    void store.save([record]).catch((error: unknown) => log.debug({ err: error }, 'record not saved'));
    return record;
  }
}
