import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startDomain } from './app.js';
import { domainConfig } from './config.js';

runProcess('domain', domainConfig, startDomain);
