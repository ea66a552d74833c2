import type { AuthorizeQuestion } from '@waymark/contract/authorize';
import type { Ability } from '@waymark/contract/roles';
import type { AuthContext } from '../context.js';
import { hashOfSecret } from '../secret-hash.js';
import type { Session } from '../sessions/store.js';
import { isWellFormed } from '../tokens/plaintext.js';
import type { Token } from '../tokens/store.js';

/** The owner of a credential, before authorization. */
export interface Principal {
  userId: string;
  session: Session | null;
  token: Token | null;
  /** The database's time at the look-up. */
  now: Date;
}

type Credential = AuthorizeQuestion['credential'];

/**
 * Uses one query for all tokens and one for all sessions; returns `null` for unknown, revoked or expired credentials.
 */
export async function findPrincipals(
  ctx: Pick<AuthContext, 'tokens' | 'sessions' | 'refusals'>,
  questions: Pick<AuthorizeQuestion, 'credential' | 'ip_address'>[],
): Promise<(Principal | null)[]> {
  const hashes = questions.map(({ credential }) => hashOfCredential(credential));
  const of = (type: Credential['type']) => [
    ...new Set(hashes.filter((hash, index) => hash !== null && questions[index]!.credential.type === type) as string[]),
  ];
  const [bearers, cookies] = [of('bearer'), of('session')];
  const [tokens, sessions] = await Promise.all([
    bearers.length === 0 ? [] : ctx.tokens.byHashes(bearers),
    cookies.length === 0 ? [] : ctx.sessions.byHashes(cookies),
  ]);
  const tokenOf = new Map(tokens.map((token) => [token.hash, token]));
  const sessionOf = new Map(sessions.map((session) => [session.hash, session]));
  return questions.map(({ credential, ip_address: address }, index) => {
    const hash = hashes[index] ?? '';
    if (credential.type === 'session') {
      const session = sessionOf.get(hash);
      return session && session.expiresAt > session.now ? principalOf(session, session, null) : null;
    }
    const token = tokenOf.get(hash);
    if (!token) return null;
    if (isGood(token)) return principalOf(token, null, token);
    ctx.refusals.note(token, address);
    return null;
  });
}

/** Returns the abilities that the credential grants in this workspace; the member's role is checked separately. */
export function abilitiesIn(workspace: string, { token }: Principal): Ability[] {
  if (!token) return ['read', 'write'];
  return token.workspace === workspace ? token.grants : [];
}

const isGood = ({ revokedAt, expiresAt, now }: Token & { now: Date }): boolean =>
  !revokedAt && (expiresAt === null || expiresAt > now);

/** Rejects a token with a wrong checksum without a query. */
function hashOfCredential(credential: Credential): string | null {
  if (credential.type === 'session') return hashOfSecret(credential.session);
  return isWellFormed(credential.token) ? hashOfSecret(credential.token) : null;
}

function principalOf(
  { userId, now }: { userId: string; now: Date },
  session: Session | null,
  token: Token | null,
): Principal {
  return { userId, session, token, now };
}
