import { deployment } from './deployments.js';
import { role } from './roles.js';
import type { Access, RouteDefinition } from './route.js';
import { ROUTES } from './routes.js';

const TABLE = /(?<=<!-- roles -->\n)[^]*(?=<!-- \/roles -->)/;
const EVERY_DEPLOYMENT = deployment.options.join(', ');

/** Returns the page of documentation with the table of the routes and the roles that they admit. */
export function withRolesTable(page: string): string {
  const head = ['route', 'caller', ...role.options, 'deployment'];
  const rows = (Object.values(ROUTES) as RouteDefinition[]).map((route) => [
    `\`${route.method} ${route.path.replace('/workspaces/{workspace}', '…')}\``,
    callerOf(route.access),
    ...role.options.map((one) => (route.access.kind === 'workspace' && route.access.roles.includes(one) ? '✓' : '')),
    route.deployments?.join(', ') ?? EVERY_DEPLOYMENT,
  ]);
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return page.replace(TABLE, () => `\n<!-- prettier-ignore -->\n${lines.join('\n')}\n\n`);
}

function callerOf(access: Access): string {
  if (access.kind === 'workspace' && access.sessionOnly) return 'a member in a signed-in browser';
  if (access.kind === 'workspace') return `a member with the ability \`${access.ability}\``;
  if (access.kind === 'public') return access.session ? 'everyone, also a signed-in browser as its user' : 'everyone';
  return access.kind === 'session' ? 'a signed-in browser' : 'any valid credential';
}
