import { z } from 'zod';
import { actor, workspaceAccess } from './identity.js';

/** The gateway's one question to auth for each request: who is it, what may they do here, is the limit reached? */
export const authorizeQuestion = z.object({
  credential: z.discriminatedUnion('type', [
    z.object({ type: z.literal('bearer'), token: z.string() }),
    z.object({ type: z.literal('session'), session: z.string() }),
  ]),
  /** The workspace of the route; `null` on routes without one, which are not limited. */
  workspace: z.string().nullable(),
});
export type AuthorizeQuestion = z.infer<typeof authorizeQuestion>;

/** State of the rolling limit of one user and workspace after this request. */
export const limitState = z.object({
  allowed: z.boolean(),
  limit: z.number().int(),
  remaining: z.number().int(),
  windowSeconds: z.number().int(),
  /** Until the oldest counted request leaves the window. */
  resetSeconds: z.number().int(),
});
export type LimitState = z.infer<typeof limitState>;

export const authorizeAnswer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('unauthenticated') }),
  z.object({
    outcome: z.literal('authenticated'),
    actor,
    sessionId: z.string().nullable(),
    /** `null` for a caller who is no member, or whose token is for another workspace. */
    access: workspaceAccess.nullable(),
    /** `null` where nothing is counted: no workspace, or no member of it. */
    limit: limitState.nullable(),
  }),
]);
export type AuthorizeAnswer = z.infer<typeof authorizeAnswer>;

/** Path of the question on auth; the caller proves itself by an identity signed for `auth`. */
export const AUTHORIZE_PATH = '/internal/authorize';
