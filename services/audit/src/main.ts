import { runProcess } from '@waymark/kernel/process/lifecycle';
import { startAudit } from './app.js';
import { auditConfig } from './config.js';

runProcess('audit', auditConfig, startAudit);
