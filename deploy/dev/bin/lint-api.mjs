import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';
import { root } from './prepare.mjs';

// Checks descriptions of the API, the files given, by the rules of Spectral (api-rules.yaml) and of Redocly: any finding fails.
const files = process.argv.slice(2);

const REDOCLY = {
  extends: ['recommended'],
  rules: {
    // `…/links/{id}/qr` beside `…/links/imports/{id}`: the id of a link begins with `lnk_`.
    'no-ambiguous-paths': 'off',
  },
};

async function checkByRedocly() {
  const config = await createConfig(REDOCLY);
  const problems = (await Promise.all(files.map((ref) => lint({ ref, config })))).flat();
  for (const { ruleId, location, message } of problems) {
    const [{ source, pointer }] = location;
    console.error(`${source.absoluteRef}${pointer} ${ruleId} "${message}"`);
  }
  return problems.length > 0 ? 1 : 0;
}

function checkBySpectral() {
  const program = join(root, 'node_modules/@stoplight/spectral-cli/dist/index.js');
  const ruleset = join(import.meta.dirname, 'api-rules.yaml');
  const options = ['--ruleset', ruleset, '--fail-severity', 'hint', '--format', 'text', '--quiet'];
  const { status } = spawnSync(process.execPath, [program, 'lint', ...options, ...files], { stdio: ['ignore', 2, 2] });
  return status ?? 1;
}

process.exit(Math.max(await checkByRedocly(), checkBySpectral()));
