import { z } from 'zod';

export const role = z
  .enum(['owner', 'admin', 'editor', 'analyst', 'viewer'])
  .describe(
    'What a member may do: a `viewer` reads content, an `analyst` analytics too; an `editor` changes content; an `admin` ' +
      'does all that and manages the workspace; an `owner` also deletes links and QR codes and grants `owner`.',
  );
export type Role = z.infer<typeof role>;

export const ability = z.enum(['read', 'write']);
export type Ability = z.infer<typeof ability>;

export const EVERY_ROLE: readonly Role[] = role.options;
export const CONTENT_EDITORS: readonly Role[] = ['owner', 'admin', 'editor'];
export const ANALYTICS_READERS: readonly Role[] = ['owner', 'admin', 'analyst'];
export const ADMINISTRATORS: readonly Role[] = ['owner', 'admin'];
export const OWNERS: readonly Role[] = ['owner'];

/** The ability name that a token carries, e.g. `workspace:acme-corp:read`. */
export function abilityName(workspace: string, of: Ability): string {
  return `workspace:${workspace}:${of}`;
}
