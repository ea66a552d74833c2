import type { z } from 'zod';
import { apiConfig, brokerConfig, databaseConfig, processConfig, shortHostConfig } from '@waymark/shared/kernel/config';

export const resourceConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  ...shortHostConfig.shape,
});
export type ResourceConfig = z.output<typeof resourceConfig>;
