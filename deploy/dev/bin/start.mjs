import { join } from 'node:path';
import { parseCall } from '../../images/parse-call.mjs';
import { prepare, root } from './prepare.mjs';

// npm start [-- --example]: starts the whole system on this machine.
parseCall({
  usage: 'usage: npm start [-- --example], which fills the demo workspace with eight weeks of an example',
  options: { example: { type: 'boolean' } },
});
await prepare();
await import(join(root, 'deploy/dev/start/dist/main.js'));
