import type { z } from 'zod';
import { apiConfig, brokerConfig, databaseConfig, processConfig } from '@waymark/shared/kernel/config';

export const auditConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
});
export type AuditConfig = z.output<typeof auditConfig>;
