import { z } from 'zod';
import { plan } from './plans.js';
import { ability, role } from './roles.js';

/** The actor of a change, as events and the audit log record it. */
export const actor = z.object({
  type: z.enum(['user', 'token', 'system']),
  id: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
  token_id: z.string().nullable(),
  /** The token of a program; `name` and `email` are the user's. Absent in events of earlier versions, whose `name` is the token's. */
  token: z.object({ id: z.string(), name: z.string().nullable() }).nullish(),
});
export type Actor = z.infer<typeof actor>;

export const SYSTEM_ACTOR: Actor = { type: 'system', id: null, name: 'system', email: null, token_id: null };

/** The caller of a public route, who is not authenticated. */
export const ANONYMOUS: Actor = { type: 'user', id: null, name: null, email: null, token_id: null };

/** The part of an identity that exists on workspace routes only. */
export const workspaceAccess = z.object({
  slug: z.string(),
  role,
  abilities: z.array(ability),
  plan,
});
export type WorkspaceAccess = z.infer<typeof workspaceAccess>;

/** The claims that the gateway signs for one request to one service. */
export const identity = z.object({
  actor,
  workspace: workspaceAccess.nullable(),
  /** The session, when the caller is a signed-in browser. */
  session_id: z.string().nullable(),
  request_id: z.string(),
  ip_address: z.string().nullable(),
});
export type Identity = z.infer<typeof identity>;
