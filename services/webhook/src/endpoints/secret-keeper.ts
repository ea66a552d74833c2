import type { Database } from '@waymark/shared/kernel/database';
import { isOutage } from '@waymark/shared/kernel/errors';
import type { Lifecycle } from '@waymark/shared/kernel/lifecycle';
import type { Log } from '@waymark/shared/kernel/log';
import { Bell } from '../sending/bell.js';
import type { EndpointStore } from './endpoint-store.js';
import type { SecretBox } from './secret-box.js';

const EVERY_MS = 60_000;
const AGAIN_MS = 200;
const ENDPOINTS_AT_ONCE = 100;

/**
 * Sees to it that every stored secret can be opened. A process that lacks a key never becomes ready, sends nothing, and
 * says why. With a new key in front, all secrets are sealed anew; expired ones are destroyed. Several processes may do
 * so at a time: each writes what is right.
 */
export class SecretKeeper {
  private missingKey?: string | null;
  private readonly bell = new Bell();
  private running?: Promise<void>;
  private isStopping = false;

  constructor(
    private readonly db: Database,
    private readonly endpoints: EndpointStore,
    private readonly secrets: SecretBox,
    private readonly log: Log,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onStop('webhook secret keeper', () => this.stop());
  }

  /** False until it is known that no key is missing. */
  get hasEveryKey(): boolean {
    return this.missingKey === null;
  }

  start(): void {
    this.running ??= this.keepUntilStopped();
  }

  private async stop(): Promise<void> {
    this.isStopping = true;
    this.bell.ring();
    await this.running;
  }

  private async keepUntilStopped(): Promise<void> {
    while (!this.isStopping) {
      try {
        if (this.db.isReady) await this.keep();
      } catch (error) {
        this.log[isOutage(error) ? 'debug' : 'error']({ err: error }, 'stored secrets not looked after');
      }
      await this.bell.wait(this.hasEveryKey ? EVERY_MS : AGAIN_MS);
    }
  }

  private async keep(): Promise<void> {
    const missing = await this.endpoints.missingKey(this.secrets.keyIds, new Date());
    if (missing !== null && missing !== this.missingKey) {
      this.log.error({ key_id: missing }, 'WEBHOOK_SECRET_KEY lacks a key that stored secrets need');
    }
    this.missingKey = missing;
    if (missing === null) await this.renew();
  }

  private async renew(): Promise<void> {
    let renewed = 0;
    for (let after = ''; ;) {
      const stale = await this.endpoints.withStaleSecrets(this.secrets.currentKeyId, after, ENDPOINTS_AT_ONCE);
      for (const endpoint of stale) {
        await this.endpoints.replaceSecrets(endpoint, this.secrets.renewed(endpoint.secrets, endpoint, new Date()));
      }
      renewed += stale.length;
      if (this.isStopping || stale.length < ENDPOINTS_AT_ONCE) break;
      after = stale.at(-1)!._id;
    }
    if (renewed > 0) this.log.info({ endpoints: renewed }, 'stored secrets sealed with the current key');
  }
}
