import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startAnalytics } from './app.js';
import { analyticsConfig } from './config.js';

runProcess('analytics', analyticsConfig, startAnalytics);
