import type { z } from 'zod';
import { apiConfig, brokerConfig, databaseConfig, processConfig, setting } from '@waymark/shared/kernel/config';

export const auditConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  /** Signs where each log ends; Ed25519. */
  AUDIT_SIGNING_KEY: setting.privateKey.refine((key) => key.asymmetricKeyType === 'ed25519', 'must be an Ed25519 key'),
  /** Public keys of earlier signing keys, one after the other: logs that have grown by nothing since are signed with them. */
  AUDIT_EARLIER_KEYS: setting.publicKeys.default([]),
  /** For one start, after the upgrade of an installation without signatures. */
  AUDIT_SIGN_EXISTING: setting.flag.default(false),
});
export type AuditConfig = z.output<typeof auditConfig>;
