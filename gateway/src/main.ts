import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startGateway } from './app.js';
import { gatewayConfig } from './config.js';

runProcess('gateway', gatewayConfig, startGateway);
