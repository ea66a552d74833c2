import type { TokenBody } from '@waymark/contract/tokens';
import type { User } from '../../users/user-store.js';
import type { Token } from './token-store.js';

export function presentToken(token: Token, user: User): TokenBody {
  return {
    id: token._id,
    name: token.name,
    user: { id: user._id, name: user.name },
    created_by_token_id: token.createdByTokenId ?? null,
    scope: scopeOf(token),
    abilities: token.abilities,
    token_prefix: token.prefix,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    expires_at: token.expiresAt?.toISOString() ?? null,
    created_at: token.createdAt.toISOString(),
  };
}

function scopeOf({ grants }: Token): TokenBody['scope'] {
  if (!grants.includes('write')) return 'read_only';
  return grants.includes('read') ? 'read_write' : 'write_only';
}
