import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseCall } from '../../images/parse-call.mjs';
import { fail, prepare, root } from './prepare.mjs';

// npm run local:reset [-- --yes]: removes the data of this checkout.
const { values } = parseCall({
  usage: `usage: npm run local:reset [-- --yes]
  removes the databases, the queues and the demo workspace of this checkout; asks before, unless --yes is given`,
  options: { yes: { type: 'boolean', short: 'y' } },
});
await prepare();
const load = createRequire(import.meta.url);
if (!values.yes) await checkConfirmed();
try {
  await load(join(root, 'deploy/dev/stack/dist/stack.js')).resetStacks((line) => console.log(line));
} catch (error) {
  fail(error.message);
}
rmSync(join(root, '.local'), { recursive: true, force: true });
console.log('The data of this checkout is gone; the next start begins empty.');

async function checkConfirmed() {
  const { askYesOrNo, canAsk } = load(join(root, 'shared/kernel/dist/command-line/terminal.js'));
  if (!canAsk())
    fail('This removes all data of this checkout. There is no terminal to ask on: add -- --yes to confirm.');
  const isConfirmed = await askYesOrNo('This removes all data of this checkout. Continue?').catch(() => false);
  if (!isConfirmed) fail('Cancelled: nothing was changed.');
}
