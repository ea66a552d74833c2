import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { commandReference } from './command-reference.js';

/** `npm run commands:reference` */
writeFileSync(join(ROOT, 'docs/operations/commands.md'), commandReference());
