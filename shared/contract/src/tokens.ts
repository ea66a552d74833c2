import { z } from 'zod';
import { dateOrTime, lastMomentOf } from './date-or-time.js';
import { choice, item, listOrPage, nameOf, optionalPage, timestamp } from './common.js';
import { asIssue, outOfRange } from './problems.js';
import { EVERY_ROLE } from './roles.js';
import type { RouteDefinition } from './route.js';
import { tokenFields, userFields } from './users.js';

export const tokenScope = choice('scope', ['read_only', 'read_write']);

export const token = z
  .object({
    id: tokenFields.id,
    name: tokenFields.name,
    user: z
      .object({ id: userFields.id, name: userFields.name })
      .describe('The member whose token it is; it never does more than their role.'),
    created_by_token_id: z
      .string()
      .nullable()
      .describe('The token that minted this one; `null` for a token that a session or the operator minted.'),
    scope: z
      .enum(['read_only', 'write_only', 'read_write'])
      .describe(
        '`read_only` changes nothing, but deletes webhook endpoints. Only the operator mints `write_only`, with which reading works as well.',
      ),
    abilities: tokenFields.abilities,
    token_prefix: z.string().describe('The first 8 characters of the token, by which to recognize it.'),
    last_used_at: timestamp
      .nullable()
      .describe('Time of its last use, in UTC, which may be up to a minute too early; `null` while it is unused.'),
    expires_at: timestamp.nullable().describe('When it stops working, in UTC; `null` if it does not expire.'),
    created_at: timestamp.describe('When it was minted, in UTC.'),
  })
  .describe('A personal access token, without its secret.');
export type TokenBody = z.infer<typeof token>;

export const createToken = z.object({
  name: nameOf(100).describe('Name for people, 1 to 100 characters; it need not be unique.'),
  scope: tokenScope
    .default('read_write')
    .describe(
      '`read_only` changes nothing, but deletes webhook endpoints where the role of its user allows it; `read_write`, the default, does whatever that role allows.',
    ),
  expires_at: dateOrTime('expires_at')
    .refine(
      (value) => lastMomentOf(value).getTime() > Date.now(),
      asIssue(outOfRange('expires_at', 'be in the future')),
    )
    .nullish()
    .meta({
      description:
        'Time in the future, or last day in UTC, at which the token is valid. Absent or `null`: no end, or that of the ' +
        'token that mints it.',
    }),
});

const plaintextMeta = z
  .object({
    plaintext_token: z
      .string()
      .describe('The token itself, `wmk_…` with 50 characters. It is shown in this response alone.'),
  })
  .describe('The secret of the new token.');

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
    response: { status: 201, schema: item(token, plaintextMeta) },
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
        .meta({
          description:
            'Whether to revoke also every token that this one minted, and the tokens that those minted. `false` by default.',
        }),
    }),
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
