import { join } from 'node:path';
import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startThread } from '@waymark/shared/kernel/threads';
import { startAnalytics } from './app.js';
import { analyticsConfig } from './config.js';

runProcess('analytics', analyticsConfig, async (parts) => {
  await startAnalytics(parts);
  // Counting computes for a second at times: neither scans nor requests wait for it.
  startThread(join(__dirname, 'counting-thread.js'), parts.lifecycle);
});
