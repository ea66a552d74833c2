import { runProcess } from '@waymark/kernel/process/lifecycle';
import { start } from './app.js';
import { redirectConfig } from './config.js';

runProcess('redirect', redirectConfig, start);
