import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

// npm run e2e | bench | faults: the compiled program of that name, with the rest of the arguments.
const [name, ...args] = process.argv.slice(2);
await prepare();
const entry = join(root, 'deploy/verify', name, 'dist/main.js');
const child = spawn(process.execPath, ['--enable-source-maps', entry, ...args], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
