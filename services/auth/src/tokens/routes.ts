import { ADMINISTRATORS, type Ability } from '@waymark/shared/contract/roles';
import type { ApiRequest, Handlers } from '@waymark/shared/kernel/http/api';
import { created, item, noContent } from '@waymark/shared/kernel/http/reply';
import type { AuthContext } from '../context.js';
import { createToken } from './create-token.js';
import { presentToken } from './present-token.js';
import { revokeToken } from './revoke-token.js';

const GRANTS = { read_only: ['read'], read_write: ['read', 'write'] } as const satisfies Record<
  string,
  readonly Ability[]
>;

export function tokenHandlers(
  ctx: AuthContext,
): Pick<Handlers<'auth'>, 'tokens.list' | 'tokens.create' | 'tokens.revoke'> {
  return {
    'tokens.list': async (request) => {
      const tokens = await ctx.tokens.list(request.workspace.slug, visibleUser(request));
      return item(tokens.map(presentToken));
    },
    'tokens.create': async ({ body, workspace, identity, eventContext }) => {
      const { token, plaintext } = await createToken(ctx, eventContext, {
        workspace: workspace.slug,
        userId: identity.actor.id!,
        name: body.name,
        grants: [...GRANTS[body.scope]],
        expiresAt: body.expires_at ? new Date(body.expires_at) : null,
      });
      return created(presentToken(token), null, { plaintext_token: plaintext });
    },
    'tokens.revoke': async (request) => {
      await revokeToken(ctx, request.eventContext, {
        workspace: request.workspace.slug,
        tokenId: request.params['tokenId']!,
        ofUser: visibleUser(request),
      });
      return noContent();
    },
  };
}

/** Members see and revoke their own tokens, owners and admins those of everybody (`undefined`). */
function visibleUser({ workspace, identity }: ApiRequest): string | undefined {
  return ADMINISTRATORS.includes(workspace.role) ? undefined : identity.actor.id!;
}
