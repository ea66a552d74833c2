import { resolveCode } from '@waymark/shared/contract/requests';
import type { Requester } from '@waymark/shared/kernel/broker/requests';
import type { Log } from '@waymark/shared/kernel/log';
import { targetKey, toRecord, type TargetRecord } from './record.js';
import type { TargetCache } from './target-cache.js';
import type { TargetStore } from './target-store.js';
import type { Target } from './target.js';

/** A visitor waits no longer than this for a code that is not in memory. */
const FIND_TIMEOUT_MS = 240;
const STORE_TIMEOUT_MS = 120;
/** Guessed codes must not pile up work without end. */
const AT_ONCE_MAX = 500;

/** Nobody who could know the code has answered in time. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

export interface TargetFinderParts {
  cache: TargetCache;
  store: TargetStore;
  requester: Requester;
  log: Log;
}

/** Finds what is not in memory, once for everybody who waits for it. */
export class TargetFinder {
  private readonly inFlight = new Map<string, Promise<Target | undefined>>();

  constructor(private readonly parts: TargetFinderParts) {}

  /** @throws Unanswered */
  find(hostname: string | null, shortCode: string): Promise<Target | undefined> {
    const key = targetKey(hostname, shortCode);
    const running = this.inFlight.get(key);
    if (running) return running;
    if (this.inFlight.size >= AT_ONCE_MAX) return Promise.reject(new Unanswered('too many look-ups at once'));
    const finding = this.lookUp(key, hostname, shortCode).finally(() => this.inFlight.delete(key));
    this.inFlight.set(key, finding);
    return finding;
  }

  private async lookUp(key: string, hostname: string | null, shortCode: string): Promise<Target | undefined> {
    const { cache } = this.parts;
    const record = await this.ask(key, hostname, shortCode);
    if (record) cache.apply(record);
    const target = cache.get(key);
    if (!target) cache.rememberMiss(key);
    return target;
  }

  private async ask(key: string, hostname: string | null, shortCode: string): Promise<TargetRecord | undefined> {
    const deadline = Date.now() + FIND_TIMEOUT_MS;
    const stored = await this.findStored(key);
    if (stored && !stored.isDeleted) return stored;
    try {
      return await this.askOwner(hostname, shortCode, deadline - Date.now());
    } catch (error) {
      // A code that was deleted may have been given away again, but so much is known.
      if (stored) return undefined;
      throw new Unanswered('nobody could resolve the code', { cause: error });
    }
  }

  private async findStored(key: string): Promise<TargetRecord | undefined> {
    const { store, log } = this.parts;
    if (!store.isReady) return undefined;
    try {
      return await within(STORE_TIMEOUT_MS, store.find(key));
    } catch (error) {
      log.debug({ err: error }, 'read model not readable');
      return undefined;
    }
  }

  private async askOwner(
    hostname: string | null,
    shortCode: string,
    timeoutMs: number,
  ): Promise<TargetRecord | undefined> {
    const { requester, store, log } = this.parts;
    const { target } = await requester.ask(resolveCode, { hostname, short_code: shortCode }, timeoutMs);
    if (!target) return undefined;
    const record = toRecord(target.workspace, target.link, new Date());
    // Not waited for: the link's own event writes the same.
    void store.save([record]).catch((error: unknown) => log.debug({ err: error }, 'target not saved'));
    return record;
  }
}

function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unanswered(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
