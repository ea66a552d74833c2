import type { AuthorizeRequest } from '@waymark/contract/authorize';
import type { Ability } from '@waymark/contract/roles';
import { hashSecret } from '../secrets/hash-secret.js';
import type { Session } from '../sign-in/sessions/session-store.js';
import { isWellFormedToken } from '../workspaces/tokens/plaintext-token.js';
import type { Token } from '../workspaces/tokens/token-store.js';
import type { AuthorizeContext } from './context.js';

/** The owner of a credential, before authorization. */
export interface Principal {
  userId: string;
  session: Session | null;
  token: Token | null;
  /** The database's time at the look-up. */
  now: Date;
}

type Credential = AuthorizeRequest['credential'];

/**
 * Uses one query for all tokens and one for all sessions; returns `null` for unknown, revoked or expired credentials.
 */
export async function findPrincipals(
  ctx: Pick<AuthorizeContext, 'tokens' | 'sessions' | 'countedEvents'>,
  requests: Pick<AuthorizeRequest, 'credential' | 'ip_address'>[],
): Promise<(Principal | null)[]> {
  const hashes = requests.map(({ credential }) => hashCredential(credential));
  const hashesOfType = (type: Credential['type']) => [
    ...new Set(hashes.filter((hash, index) => hash !== null && requests[index]!.credential.type === type) as string[]),
  ];
  const [tokenHashes, sessionHashes] = [hashesOfType('bearer'), hashesOfType('session')];
  const [tokens, sessions] = await Promise.all([
    tokenHashes.length === 0 ? [] : ctx.tokens.findTokensByHash(tokenHashes),
    sessionHashes.length === 0 ? [] : ctx.sessions.findSessionsByHash(sessionHashes),
  ]);
  const tokensByHash = new Map(tokens.map((token) => [token.hash, token]));
  const sessionsByHash = new Map(sessions.map((session) => [session.hash, session]));
  return requests.map(({ credential, ip_address: address }, index) => {
    const hash = hashes[index] ?? '';
    if (credential.type === 'session') {
      const session = sessionsByHash.get(hash);
      if (!session) return null;
      return { userId: session.userId, session, token: null, now: session.now };
    }
    const token = tokensByHash.get(hash);
    if (!token) return null;
    if (isValid(token)) return { userId: token.userId, session: null, token, now: token.now };
    noteRejectedUse(ctx, token, address);
    return null;
  });
}

/** Reports a use of a token that is known, and not valid. */
export function noteRejectedUse(
  { countedEvents }: Pick<AuthorizeContext, 'countedEvents'>,
  { _id }: Token,
  ipAddress: string | null,
): void {
  countedEvents.note('token.refused', _id, { ipAddress, requestId: null });
}

/** Returns the abilities that the credential grants in this workspace; the member's role is checked separately. */
export function grantedAbilities(workspace: string, { token }: Principal): Ability[] {
  if (!token) return ['read', 'write'];
  return token.workspace === workspace ? token.grants : [];
}

const isValid = ({ revokedAt, expiresAt, now }: Token & { now: Date }): boolean =>
  !revokedAt && (expiresAt === null || expiresAt > now);

/** Returns `null` for a token with a wrong checksum, which needs no query. */
function hashCredential(credential: Credential): string | null {
  if (credential.type === 'session') return hashSecret(credential.session);
  return isWellFormedToken(credential.token) ? hashSecret(credential.token) : null;
}
