import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runQrScenario } from './qr-scenario.js';
import type { Demo } from './demo.js';
import { runScenario } from './scenario.js';

/** Runs the deployment's scenario against the system that `npm start` has started. */
async function main(): Promise<void> {
  const folder = process.env['WAYMARK_LOCAL_DIR'] ?? resolve(__dirname, '../../../../.local');
  const deployment = process.env['DEPLOYMENT'] === 'qr' ? 'qr' : 'links';
  if (!existsSync(join(folder, `run.${deployment}.json`)))
    throw new Error(`Waymark (${deployment}) is not running here: start it with npm start, in another terminal.`);
  const demo = JSON.parse(readFileSync(join(folder, `demo.${deployment}.json`), 'utf8')) as Demo;
  const figures = await (deployment === 'qr' ? runQrScenario : runScenario)(demo, (line) =>
    process.stdout.write(`- ${line}\n`),
  );
  process.stdout.write(`${JSON.stringify({ e2e: 'passed', ...figures })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
