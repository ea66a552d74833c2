import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fail, prepare, root } from './prepare.mjs';

await prepare();
const { resetStacks } = createRequire(import.meta.url)(join(root, 'deploy/dev/stack/dist/stack.js'));
try {
  await resetStacks((line) => console.log(line));
} catch (error) {
  fail(error.message);
}
rmSync(join(root, '.local'), { recursive: true, force: true });
console.log('The data of this checkout is gone; the next start begins empty.');
