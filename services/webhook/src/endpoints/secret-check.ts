import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@waymark/shared/kernel/log';
import type { EndpointStore } from './endpoint-store.js';
import type { SecretBox } from './secret-box.js';

const AGAIN_MS = 1000;

/** Whether every stored secret can be opened: a process with the wrong key never becomes ready, and says why. */
export class SecretCheck {
  isPassed = false;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly secrets: SecretBox,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    try {
      const keyId = await this.endpoints.missingKey(this.secrets.keyIds, new Date());
      this.isPassed = keyId === null;
      if (keyId !== null) this.log.error({ key_id: keyId }, 'WEBHOOK_SECRET_KEY lacks a key that stored secrets need');
    } catch (error) {
      this.log.debug({ err: error }, 'stored secrets not checked yet');
      await sleep(AGAIN_MS, undefined, { ref: false });
      await this.run();
    }
  }
}
