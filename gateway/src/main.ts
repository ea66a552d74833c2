import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startGateway } from './app.js';
import { gatewayConfig } from './config.js';

runProcess('gateway', gatewayConfig, startGateway);
