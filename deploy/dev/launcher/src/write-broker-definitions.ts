import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationFile } from './broker-definitions.js';
import { ROOT } from './process-table.js';

/** `npm run broker:definitions`: the operator's scripts read this file, because they run without a build. */
writeFileSync(join(ROOT, 'deploy/k8s/broker/installation.json'), installationFile());
