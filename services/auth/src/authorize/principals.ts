import type { AuthorizeQuestion } from '@waymark/shared/contract/authorize';
import type { Ability } from '@waymark/shared/contract/roles';
import type { AuthContext } from '../context.js';
import { hashOfSecret } from '../secret-hash.js';
import type { Session } from '../sessions/store.js';
import { isWellFormed } from '../tokens/plaintext.js';
import type { Token } from '../tokens/store.js';

/** Whose credential it is, before anything is asked about them. */
export interface Principal {
  userId: string;
  session: Session | null;
  token: Token | null;
  /** The database's time of the look-up. */
  now: Date;
}

type Credential = AuthorizeQuestion['credential'];

/** One look-up for all tokens and one for all sessions; `null` for what is unknown, gone or expired. */
export async function findPrincipals(
  ctx: Pick<AuthContext, 'tokens' | 'sessions'>,
  credentials: Credential[],
): Promise<(Principal | null)[]> {
  const hashes = credentials.map(hashOfCredential);
  const of = (type: Credential['type']) => [
    ...new Set(hashes.filter((hash, index) => hash !== null && credentials[index]!.type === type) as string[]),
  ];
  const [bearers, sessions] = [of('bearer'), of('session')];
  const [tokens, signedIn] = await Promise.all([
    bearers.length === 0 ? [] : ctx.tokens.byHashes(bearers),
    sessions.length === 0 ? [] : ctx.sessions.byHashes(sessions),
  ]);
  const found = new Map<string, Principal>([
    ...tokens
      .filter(({ expiresAt, now }) => expiresAt === null || expiresAt > now)
      .map((token) => [`bearer ${token.hash}`, principalOf(token, null, token)] as const),
    ...signedIn
      .filter(({ expiresAt, now }) => expiresAt > now)
      .map((session) => [`session ${session.hash}`, principalOf(session, session, null)] as const),
  ]);
  return credentials.map(({ type }, index) => found.get(`${type} ${hashes[index]}`) ?? null);
}

/** What the credential allows in this workspace, before the member's role is asked. */
export function abilitiesIn(workspace: string, { token }: Principal): Ability[] {
  if (!token) return ['read', 'write'];
  return token.workspace === workspace ? token.grants : [];
}

/** A token with a wrong checksum is refused without a look-up. */
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
