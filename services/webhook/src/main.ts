import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startWebhook } from './app.js';
import { webhookConfig } from './config.js';

runProcess('webhook', webhookConfig, startWebhook);
