import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

await prepare();
await import(join(root, 'deploy/dev/start/dist/main.js'));
