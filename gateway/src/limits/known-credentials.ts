const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 50_000;

/**
 * Hashes of credentials that auth has accepted in the last minutes, and their users. They only decide which requests pass an
 * address that has used up its limit, and whose share they take: auth is asked about every one of them all the same.
 */
export class KnownCredentials {
  /** When each is forgotten, by this process's steady clock; least recently accepted first. */
  private readonly known = new Map<string, { user: string; endsAt: number }>();

  constructor(private readonly rememberedMax = REMEMBERED_MAX) {}

  /** @returns the user of a credential that is remembered */
  userOf(hash: string): string | undefined {
    const known = this.known.get(hash);
    return known && known.endsAt > performance.now() ? known.user : undefined;
  }

  remember(hash: string, user: string): void {
    this.known.delete(hash);
    this.known.set(hash, { user, endsAt: performance.now() + REMEMBERED_MS });
    if (this.known.size > this.rememberedMax) this.known.delete(this.known.keys().next().value!);
  }

  forget(hash: string): void {
    this.known.delete(hash);
  }
}
