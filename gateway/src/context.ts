import type { Log } from '@waymark/shared/kernel/log';
import type { QuestionQueue } from './authorize/question-queue.js';
import type { GatewayConfig } from './config.js';
import type { BadBearers } from './pipeline/bad-bearers.js';

export interface GatewayContext {
  config: GatewayConfig;
  log: Log;
  auth: QuestionQueue;
  badBearers: BadBearers;
}
