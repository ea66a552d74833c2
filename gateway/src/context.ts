import type { Log } from '@waymark/shared/kernel/log';
import type { AuthClient } from './authorize/auth-client.js';
import type { GatewayConfig } from './config.js';

export interface GatewayContext {
  config: GatewayConfig;
  log: Log;
  auth: AuthClient;
}
