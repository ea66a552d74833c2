import { EVERY } from './common.js';
import type { Deployment } from './deployments.js';
import { AUDITED_TYPES } from './events.js';

/** The groups of actions that only one deployment has. */
const OWN_GROUPS: Readonly<Record<Deployment, readonly string[]>> = {
  links: ['link', 'folder', 'tag', 'utm_template', 'conversion', 'domain'],
  qr: ['qr_code'],
};

const groupOf = (action: string): string => action.split('.')[0]!;

function actionsIn(deployment: Deployment): readonly string[] {
  const others = OWN_GROUPS[deployment === 'links' ? 'qr' : 'links'];
  const actions = AUDITED_TYPES.filter((type) => !others.includes(groupOf(type)));
  const groups = new Set(actions.map((action) => `${groupOf(action)}.*`));
  return [EVERY, ...[...actions, ...groups].sort()];
}

/** The values of the filter `action` by deployment: `all`, actions of audit entries, and groups such as `link.*`. */
export const AUDIT_ACTIONS: Readonly<Record<Deployment, readonly string[]>> = {
  links: actionsIn('links'),
  qr: actionsIn('qr'),
};
