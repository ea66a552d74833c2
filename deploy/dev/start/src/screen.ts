import { relative } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import { CONTENT, type Demo } from './demo.js';
import type { StartSettings } from './settings.js';

/** The text for a newcomer once everything runs. */
export function screen(demo: Demo, settings: StartSettings, hasExample: boolean): string {
  const api = `${demo.base_url}/api/v1/workspaces/${demo.workspace}`;
  const auth = '-H "Authorization: Bearer $TOKEN"';
  const file = relative(ROOT, settings.demoFile);
  const token = `TOKEN=$(node -p 'require("./${file}").users.owner.token')`;
  const owner = demo.users['owner']!;
  const { path, name } = CONTENT[settings.deployment];
  const json = `-H 'Content-Type: application/json'`;
  const lines = [
    `curl -s ${api}/${path} ${auth} ${json} -d '{"destination_url":"https://example.org","title":"My first ${name}"}'`,
    `curl -si ${demo.short_url}/welcome -A 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'`,
    `curl -s ${api}/analytics/summary ${auth}`,
  ];
  return [
    '',
    `Waymark (${settings.deployment}) is running.`,
    '',
    `  Console     ${demo.base_url}/console   (sign in as ${owner.email}, password ${owner.password})`,
    `  API         ${demo.base_url}/api/v1`,
    `  API page    ${demo.base_url}/docs   (every route, to read and to try)`,
    `  Short host  ${demo.short_url}`,
    `  Credentials ${file}   (one user and token per role)`,
    `  Logs        ${relative(ROOT, settings.folder)}/logs/`,
    '',
    'Try, in another terminal, from this folder:',
    '',
    `  ${token}`,
    ...lines.map((line) => `  ${line}`),
    '',
    ...(settings.deployment === 'links' ? ['docs/tutorial.md continues from here.'] : []),
    ...(hasExample
      ? []
      : [`npm start -- --example fills the workspace ${demo.workspace} with eight weeks of an example.`]),
    'Ctrl-C stops everything; your data stays.',
    '',
  ].join('\n');
}
