import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startAnalytics } from './app.js';
import { analyticsConfig } from './config.js';

runProcess('analytics', analyticsConfig, startAnalytics);
