import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { unavailable } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Log } from '@waymark/kernel/process/log';
import type { Endpoint } from './endpoint.js';
import type { EndpointStore } from './endpoint-store.js';
import { createSigningSecret, type SealedSecret, type SigningSecretBox, type SecretOwner } from './secret-box.js';

const INTERVAL_MS = 10_000;
const ENDPOINTS_AT_ONCE = 100;

interface SigningSecretsContext {
  db: Database;
  endpoints: EndpointStore;
  secrets: SigningSecretBox;
  log: Log;
}

interface Round {
  now: Date;
  skipItem: SkipItem;
}

/**
 * Creates signing secrets, and watches whether the stored ones can be opened. A process whose keys open none of them
 * has the wrong keys: it never becomes ready, sends nothing, creates no secrets, and logs the reason. If a key is missing
 * for some of them, only their endpoints wait. In the background it reseals all secrets with the first key and destroys
 * expired ones; several processes may do so concurrently, since each writes a valid result.
 */
export class SigningSecrets {
  private missingKeys: string[] = [];
  /** Absent until the first check. */
  private hasRightKeys?: boolean;
  /** The last endpoint of this round; bounds the rounds while a process with another first key works too. */
  private afterId = '';

  constructor(private readonly ctx: SigningSecretsContext) {}

  /** False until a check has found that the keys open stored secrets, or that none is stored. */
  get isUsable(): boolean {
    return this.hasRightKeys === true;
  }

  /** Counts the endpoints whose deliveries wait for a key that this process lacks. */
  countWaitingEndpoints(): Promise<number> {
    return this.ctx.endpoints.countUnderMissingKeys(this.ctx.secrets.keyIds);
  }

  startResealing(runtime: WorkerContext): void {
    const wakeSignal = runPeriodically(runtime, {
      name: 'webhook secret resealing',
      intervalMs: INTERVAL_MS,
      runOnce: (skipItem) => this.runOnce(skipItem),
    });
    void this.ctx.db.start().then(() => wakeSignal.notify());
  }

  /**
   * Creates a secret, unless the keys are wrong: other processes could not open a secret sealed with a wrong key.
   * @throws AppError while the keys are wrong
   */
  async createSecret(owner: SecretOwner): Promise<{ text: string; sealed: SealedSecret }> {
    if (this.hasRightKeys === undefined) await this.checkKeys();
    if (!this.isUsable) throw unavailable();
    const text = createSigningSecret();
    return { text, sealed: this.ctx.secrets.sealSecret(text, owner) };
  }

  /** @returns true if there is more to seal. */
  private async runOnce(skipItem: SkipItem): Promise<boolean> {
    if (!this.ctx.db.isReady) return false;
    await this.checkKeys();
    if (!this.isUsable) return false;
    await this.ctx.endpoints.resumeWithKeys(this.ctx.secrets.keyIds, await this.ctx.db.now());
    return this.resealBatch(skipItem);
  }

  private async checkKeys(): Promise<void> {
    const { endpoints, secrets, log } = this.ctx;
    const missing = await endpoints.findMissingKeys(secrets.keyIds, new Date());
    for (const key_id of missing.filter((id) => !this.missingKeys.includes(id))) {
      log.error({ key_id }, 'WEBHOOK_SECRET_KEY lacks a key that stored secrets need');
    }
    this.missingKeys = missing;
    this.hasRightKeys = missing.length === 0 || (await endpoints.hasSecretsUnder(secrets.keyIds));
  }

  private async resealBatch(skipItem: SkipItem): Promise<boolean> {
    const { db, endpoints, secrets, log } = this.ctx;
    // Expired secrets are destroyed here, so use the database's clock: that of one process may be wrong.
    const now = await db.now();
    const oldKeyIds = secrets.keyIds.filter((id) => id !== secrets.currentKeyId);
    const stale = await endpoints.findStaleSecrets({
      ...{ oldKeyIds, now },
      ...{ afterId: this.afterId, limit: ENDPOINTS_AT_ONCE },
    });
    const resealed = await Promise.all(stale.map((endpoint) => this.resealEndpoint(endpoint, { now, skipItem })));
    const count = resealed.filter(Boolean).length;
    if (count > 0) log.info({ endpoints: count }, 'stored secrets sealed with the current key');
    const hasMore = stale.length === ENDPOINTS_AT_ONCE;
    this.afterId = hasMore ? stale.at(-1)!._id : '';
    return hasMore;
  }

  /** @returns false for an endpoint whose secrets can't be opened or written: it keeps them, and the round continues. */
  private async resealEndpoint(endpoint: Endpoint, { now, skipItem }: Round): Promise<boolean> {
    const { endpoints, secrets } = this.ctx;
    try {
      await endpoints.replaceSecrets(endpoint, secrets.resealSecrets(endpoint.secrets, endpoint, now));
      return true;
    } catch (error) {
      skipItem(error, { endpoint_id: endpoint._id }, 'stored secrets could not be sealed again');
      return false;
    }
  }
}
