import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startResource } from './app.js';
import { resourceConfig } from './config.js';

runProcess('resource', resourceConfig, startResource);
