import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startAuth } from './app.js';
import { authConfig } from './config.js';

runProcess('auth', authConfig, startAuth);
