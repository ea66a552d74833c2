import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startDomain } from './app.js';
import { domainConfig } from './config.js';

runProcess('domain', domainConfig, startDomain);
