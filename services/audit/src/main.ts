import { runProcess } from '@waymark/shared/kernel/lifecycle';
import { startAudit } from './app.js';
import { auditConfig } from './config.js';

runProcess('audit', auditConfig, startAudit);
