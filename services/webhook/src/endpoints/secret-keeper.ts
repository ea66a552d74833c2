import type { Database } from '@waymark/kernel/mongo/database';
import { unavailable } from '@waymark/kernel/errors';
import { runPeriodically, type WorkerParts } from '@waymark/kernel/async/run-periodically';
import type { Log } from '@waymark/kernel/process/log';
import type { Endpoint } from './endpoint.js';
import type { EndpointStore } from './endpoint-store.js';
import { newSigningSecret, type SealedSecret, type SecretBox, type SecretOwner } from './secret-box.js';

const EVERY_MS = 10_000;
const ENDPOINTS_AT_ONCE = 100;

/**
 * Ensures that every stored secret can be opened. A process that lacks a key never becomes ready, sends nothing, makes
 * no secrets, and logs the reason. The keeper reseals all secrets with the first key and destroys expired ones. Several
 * processes may do so concurrently: each writes a valid result.
 */
export class SecretKeeper {
  private missingKey?: string | null;
  /** The last endpoint of this round; bounds the rounds while a process with another first key works too. */
  private after = '';

  constructor(
    private readonly db: Database,
    private readonly endpoints: EndpointStore,
    private readonly secrets: SecretBox,
    private readonly log: Log,
  ) {}

  /** False until the keeper has found that no key is missing. */
  get hasEveryKey(): boolean {
    return this.missingKey === null;
  }

  start(parts: WorkerParts): void {
    const wakeSignal = runPeriodically(parts, {
      name: 'webhook secret keeper',
      intervalMs: EVERY_MS,
      runOnce: () => this.keep(),
    });
    void this.db.start().then(() => wakeSignal.notify());
  }

  /**
   * Makes a secret, unless a key is missing: other processes could not open a secret sealed with a wrong key.
   * @throws AppError while a key is missing
   */
  async newSecret(owner: SecretOwner): Promise<{ text: string; sealed: SealedSecret }> {
    if (this.missingKey === undefined) await this.look();
    if (!this.hasEveryKey) throw unavailable();
    const text = newSigningSecret();
    return { text, sealed: this.secrets.seal(text, owner) };
  }

  /** @returns true if there is more to seal. */
  private async keep(): Promise<boolean> {
    if (!this.db.isReady) return false;
    await this.look();
    return this.hasEveryKey && this.renewSome();
  }

  private async look(): Promise<void> {
    const missing = await this.endpoints.missingKey(this.secrets.keyIds, new Date());
    if (missing !== null && missing !== this.missingKey) {
      this.log.error({ key_id: missing }, 'WEBHOOK_SECRET_KEY lacks a key that stored secrets need');
    }
    this.missingKey = missing;
  }

  /** @returns false for an endpoint whose secrets can't be opened: it keeps them, and the round continues. */
  private async renew(endpoint: Endpoint, now: Date): Promise<boolean> {
    let secrets: SealedSecret[];
    try {
      secrets = this.secrets.renewed(endpoint.secrets, endpoint, now);
    } catch (error) {
      this.log.error({ err: error, endpoint_id: endpoint._id }, 'stored secrets could not be opened');
      return false;
    }
    await this.endpoints.replaceSecrets(endpoint, secrets);
    return true;
  }

  private async renewSome(): Promise<boolean> {
    // Expired secrets are destroyed here, so use the database's clock: that of one process may be wrong.
    const now = await this.db.now();
    const stale = await this.endpoints.withStaleSecrets(this.secrets.currentKeyId, this.after, ENDPOINTS_AT_ONCE, now);
    const renewed = await Promise.all(stale.map((endpoint) => this.renew(endpoint, now)));
    const count = renewed.filter(Boolean).length;
    if (count > 0) this.log.info({ endpoints: count }, 'stored secrets sealed with the current key');
    const hasMore = stale.length === ENDPOINTS_AT_ONCE;
    this.after = hasMore ? stale.at(-1)!._id : '';
    return hasMore;
  }
}
