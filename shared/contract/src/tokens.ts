import { z } from 'zod';
import { dateOrTime, lastMomentOf } from './date-or-time.js';
import { choice, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { asIssue, outOfRange } from './problems.js';
import { EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';

export const tokenScope = choice('scope', ['read_only', 'read_write']);

export const token = z.object({
  id: z.string(),
  name: z.string(),
  /** The owner of the token. */
  user: z.object({ id: z.string(), name: z.string() }),
  created_by_token_id: z.string().nullable().meta({
    description: 'The token that minted this one; `null` for a token that a session or the operator minted.',
  }),
  scope: z.enum(['read_only', 'write_only', 'read_write']),
  abilities: z.array(z.string()),
  token_prefix: z.string(),
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
});
export type TokenBody = z.infer<typeof token>;

export const createToken = z.object({
  name: nameOf(100),
  scope: tokenScope.default('read_write'),
  expires_at: dateOrTime('expires_at')
    .refine(
      (value) => lastMomentOf(value).getTime() > Date.now(),
      asIssue(outOfRange('expires_at', 'be in the future')),
    )
    .nullish()
    .meta({ description: 'A time, or the last day, in UTC, on which the token is valid.' }),
});

const path = '/workspaces/{workspace}/tokens';

export const tokenRoutes = {
  'tokens.list': {
    method: 'GET',
    path,
    service: 'auth',
    access: { kind: 'workspace', ability: 'read', roles: EVERY_ROLE },
    query: optionalPage,
    response: { status: 200, schema: listOrPage(token) },
  },
  'tokens.create': {
    method: 'POST',
    path,
    service: 'auth',
    access: { kind: 'workspace', ability: 'write', roles: EVERY_ROLE },
    body: createToken,
    idempotent: 'secret',
    response: { status: 201, schema: item(token, z.object({ plaintext_token: z.string() })) },
  },
  'tokens.revoke': {
    method: 'DELETE',
    path: `${path}/{tokenId}`,
    service: 'auth',
    access: { kind: 'workspace', ability: 'write', roles: EVERY_ROLE },
    query: z.object({
      cascade: z
        .stringbool({ error: 'The cascade must be true or false.' })
        .meta({ type: 'boolean' })
        .default(false)
        .meta({ description: 'Also revokes every token that this one minted, and the tokens that those minted.' }),
    }),
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
