const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 50_000;

/**
 * Hashes of credentials that auth accepted in the last minutes, with their users. They only decide which requests skip
 * the limit of their address and whose share they take: the gateway still asks auth about each request.
 */
export class KnownCredentials {
  /** Expiry times on this process's monotonic clock; least recently accepted first. */
  private readonly known = new Map<string, { user: string; endsAt: number }>();

  constructor(private readonly rememberedMax = REMEMBERED_MAX) {}

  /** @returns the user of a remembered credential */
  findUser(hash: string): string | undefined {
    const known = this.known.get(hash);
    return known && known.endsAt > performance.now() ? known.user : undefined;
  }

  rememberCredential(hash: string, user: string): void {
    this.known.delete(hash);
    this.known.set(hash, { user, endsAt: performance.now() + REMEMBERED_MS });
    if (this.known.size > this.rememberedMax) this.known.delete(this.known.keys().next().value!);
  }

  forgetCredential(hash: string): void {
    this.known.delete(hash);
  }
}
