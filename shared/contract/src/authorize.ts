import { z } from 'zod';
import { boundedList, workspaceSlug } from './common.js';
import { actor, workspaceAccess } from './identity.js';
import { tooMany } from './problems.js';

/** Exceeds every credential we issue; a longer one must not fill a batch that several requests share. */
export const CREDENTIAL_MAX = 256;
const secret = z.string().max(CREDENTIAL_MAX);

/** The gateway asks auth once for each request for the caller, their rights in the workspace and their rate limit. */
export const authorizeRequest = z.object({
  credential: z.discriminatedUnion('type', [
    z.object({ type: z.literal('bearer'), token: secret }),
    z.object({ type: z.literal('session'), session: secret }),
  ]),
  /** The workspace of the route; `null` on routes without one. */
  workspace: workspaceSlug.nullable(),
  /** The client's address, to report which client uses a revoked token. */
  ip_address: z.string().nullable(),
});
export type AuthorizeRequest = z.infer<typeof authorizeRequest>;

/** State of a sliding-window limit after this request: of one user in one workspace, or on routes without a workspace. */
export const limitState = z.object({
  allowed: z.boolean(),
  limit: z.number().int(),
  remaining: z.number().int(),
  windowSeconds: z.number().int(),
  /** The time until the oldest counted request leaves the window. */
  resetSeconds: z.number().int(),
  /** Names the entry that counts the request; `null` for one that is not counted, absent in answers of earlier versions. */
  entry: z.string().nullable().default(null),
});
export type LimitState = z.infer<typeof limitState>;

export const authorizeResponse = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('unauthenticated') }),
  /** Auth could not answer this question of the batch. */
  z.object({ outcome: z.literal('unavailable') }),
  z.object({
    outcome: z.literal('authenticated'),
    actor,
    sessionId: z.string().nullable(),
    /** `null` for a caller who is not a member, or whose token is for another workspace. */
    access: workspaceAccess.nullable(),
    /** The operator's reason, for a member of a suspended workspace; absent in answers of earlier versions. */
    suspended: z.string().nullable().default(null),
    /** The workspace requires a second factor, which this member does not have; absent in answers of earlier versions. */
    lacksSecondFactor: z.boolean().default(false),
    /** `null` where nothing is counted: the caller is not a member of the workspace. */
    limit: limitState.nullable(),
  }),
]);
export type AuthorizeResponse = z.infer<typeof authorizeResponse>;

/** Questions are sent in batches; the answers come in the same order. */
export const AUTHORIZE_BATCH_MAX = 100;
export const authorizeBatch = z.object({
  questions: boundedList(authorizeRequest, {
    min: [1, 'no questions'],
    max: [AUTHORIZE_BATCH_MAX, tooMany('questions', AUTHORIZE_BATCH_MAX)],
  }),
});
/** Each answer is an `authorizeResponse`, to be parsed separately: an invalid one must not fail those of other callers. */
export const authorizeBatchResponse = z.object({ answers: z.array(z.unknown()) });

/** The path on auth that takes the questions. */
export const AUTHORIZE_PATH = '/internal/authorize';

/** The path on auth that takes the entries of counted requests that were answered with 503: they do not count. */
export const UNSERVED_PATH = '/internal/unserved';
export const UNSERVED_BATCH_MAX = 500;
export const unservedBatch = z.object({
  entries: boundedList(z.string(), {
    min: [1, 'no entries'],
    max: [UNSERVED_BATCH_MAX, tooMany('entries', UNSERVED_BATCH_MAX)],
  }),
});

/** Audience of the gateway's own identity, so that no identity signed for a caller's request opens `/internal/*`. */
export const INTERNAL_AUDIENCE = 'auth internal';
