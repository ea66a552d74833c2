import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startResource } from './app.js';
import { resourceConfig } from './config.js';

runProcess('resource', resourceConfig, startResource);
