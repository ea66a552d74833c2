import { runThread } from '@waymark/shared/kernel/threads';
import { analyticsConfig } from './config.js';
import { startCounting } from './start-counting.js';

runThread('analytics', analyticsConfig, startCounting);
