import type { z } from 'zod';
import { apiConfig, brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';

export const auditConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  /** Ed25519 key that signs the head of each log. */
  AUDIT_SIGNING_KEY: setting.privateKey.refine((key) => key.asymmetricKeyType === 'ed25519', 'must be an Ed25519 key'),
  /**
   * Public keys of earlier signing keys, concatenated: the heads of logs without newer entries still carry their
   * signatures.
   */
  AUDIT_EARLIER_KEYS: setting.publicKeys.default([]),
  /** Set for one start, after the upgrade of an installation without signatures. */
  AUDIT_SIGN_EXISTING: setting.flag.default(false),
});
export type AuditConfig = z.output<typeof auditConfig>;
