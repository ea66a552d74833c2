import type { LimitState } from '@waymark/contract/authorize';

const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 50_000;
/** The shortest time between two renewals of an entry: most requests follow the one before within seconds. */
const RENEW_AFTER_MS = 60_000;
/** Short: a credential that was revoked meanwhile gets 429 in place of 401 for up to this time. */
const EXHAUSTED_MAX_MS = 1000;

/** Auth's response about the limit that counts a request. */
interface LimitResponse {
  /** Names the limit: of a workspace, or of the user. */
  policy: string;
  /** `null` where nothing is counted. */
  state: LimitState | null;
  /** The time before the gateway asked, on this process's monotonic clock. */
  askedAt: number;
}

interface Known {
  user: string;
  /** On this process's monotonic clock. */
  endsAt: number;
  /** The exhausted limit, and when it may have room again. */
  exhausted: { policy: string; state: LimitState; endsAt: number } | null;
}

/**
 * Hashes of credentials that auth accepted in the last minutes, with their users. They decide which requests skip the
 * limit of their address and whose share they take; the gateway still asks auth about each request, except for the
 * requests of a second that auth would reject without counting them: a flood costs auth one question a second.
 */
export class KnownCredentials {
  /** Least recently remembered first. */
  private readonly known = new Map<string, Known>();

  constructor(private readonly rememberedMax = REMEMBERED_MAX) {}

  /** @returns the user of a remembered credential */
  findUser(hash: string): string | undefined {
    const known = this.known.get(hash);
    return known && known.endsAt > performance.now() ? known.user : undefined;
  }

  /** @returns the limit of a remembered credential, if it has had no room since auth was asked */
  findExhaustedLimit(hash: string, policy: string): LimitState | undefined {
    const exhausted = this.known.get(hash)?.exhausted;
    return exhausted?.policy === policy && exhausted.endsAt > performance.now() ? exhausted.state : undefined;
  }

  rememberCredential(hash: string, user: string, { policy, state, askedAt }: LimitResponse): void {
    const exhausted = state && !state.allowed ? { policy, state, endsAt: askedAt + exhaustedMs(state) } : null;
    const endsAt = performance.now() + REMEMBERED_MS;
    const known = this.known.get(hash);
    if (known && endsAt - known.endsAt < RENEW_AFTER_MS) {
      known.exhausted = exhausted;
      return;
    }
    this.known.delete(hash);
    this.known.set(hash, { user, endsAt, exhausted });
    if (this.known.size > this.rememberedMax) this.known.delete(this.known.keys().next().value!);
  }

  forgetCredential(hash: string): void {
    this.known.delete(hash);
  }
}

/** Auth rounds the time up: no request is to be rejected once there is room for it. */
const exhaustedMs = ({ resetSeconds }: LimitState): number =>
  Math.min(Math.max(0, resetSeconds - 1) * 1000, EXHAUSTED_MAX_MS);
