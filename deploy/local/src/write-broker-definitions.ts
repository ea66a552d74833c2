import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationFile } from './broker-definitions';
import { ROOT } from './system/process-table';

/** `npm run broker:definitions`: the operator's scripts read this file, because they run without a build. */
writeFileSync(join(ROOT, 'deploy/k8s/broker/generated/installation.json'), installationFile());
