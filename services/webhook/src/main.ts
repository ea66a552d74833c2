import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startWebhook } from './app.js';
import { webhookConfig } from './config.js';

runProcess('webhook', webhookConfig, startWebhook);
