import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { start } from './app.js';
import { redirectConfig } from './config.js';

runProcess('redirect', redirectConfig, start);
