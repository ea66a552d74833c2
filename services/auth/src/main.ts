import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startAuth } from './app.js';
import { authConfig } from './config.js';

runProcess('auth', authConfig, startAuth);
