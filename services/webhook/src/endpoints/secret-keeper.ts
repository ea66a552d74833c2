import type { Database } from '@waymark/shared/kernel/database';
import { unavailable } from '@waymark/shared/kernel/errors';
import { keepWorking, type WorkParts } from '@waymark/shared/kernel/keep-working';
import type { Log } from '@waymark/shared/kernel/log';
import type { Endpoint } from './endpoint.js';
import type { EndpointStore } from './endpoint-store.js';
import { newSigningSecret, type SealedSecret, type SecretBox, type SecretOwner } from './secret-box.js';

const EVERY_MS = 10_000;
const ENDPOINTS_AT_ONCE = 100;

/**
 * Sees to it that every stored secret can be opened. A process that lacks a key never becomes ready, sends nothing, makes
 * no secrets, and says why. With a new key in front, all secrets are sealed anew; expired ones are destroyed. Several processes may do
 * so at a time: each writes what is right.
 */
export class SecretKeeper {
  private missingKey?: string | null;
  /** Endpoints up to this one are done in this round: a process whose first key is another may be at work too. */
  private after = '';

  constructor(
    private readonly db: Database,
    private readonly endpoints: EndpointStore,
    private readonly secrets: SecretBox,
    private readonly log: Log,
  ) {}

  /** False until it is known that no key is missing. */
  get hasEveryKey(): boolean {
    return this.missingKey === null;
  }

  start(parts: WorkParts): void {
    const bell = keepWorking(parts, { name: 'webhook secret keeper', everyMs: EVERY_MS, doSome: () => this.keep() });
    void this.db.start().then(() => bell.ring());
  }

  /**
   * What a process with a wrong key would seal, the right one could not open.
   * @throws AppError while a key is missing
   */
  async newSecret(owner: SecretOwner): Promise<{ text: string; sealed: SealedSecret }> {
    if (this.missingKey === undefined) await this.look();
    if (!this.hasEveryKey) throw unavailable();
    const text = newSigningSecret();
    return { text, sealed: this.secrets.seal(text, owner) };
  }

  /** @returns true when there is more to seal. */
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

  /** @returns false for an endpoint whose secrets can't be opened: it keeps them, and the others go on. */
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
    // Expired secrets are destroyed here: by the database's clock, since that of one process may be wrong.
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
