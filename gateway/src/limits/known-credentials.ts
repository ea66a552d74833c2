const REMEMBERED_MS = 10 * 60_000;
const REMEMBERED_MAX = 50_000;

/**
 * Hashes of credentials that auth has accepted in the last minutes. They only decide which requests pass an address that
 * has used up its limit: auth is asked about every one of them all the same.
 */
export class KnownCredentials {
  /** When each is forgotten, by this process's steady clock; least recently accepted first. */
  private readonly endsAt = new Map<string, number>();

  constructor(private readonly rememberedMax = REMEMBERED_MAX) {}

  has(hash: string): boolean {
    return (this.endsAt.get(hash) ?? 0) > performance.now();
  }

  remember(hash: string): void {
    this.endsAt.delete(hash);
    this.endsAt.set(hash, performance.now() + REMEMBERED_MS);
    if (this.endsAt.size > this.rememberedMax) this.endsAt.delete(this.endsAt.keys().next().value!);
  }

  forget(hash: string): void {
    this.endsAt.delete(hash);
  }
}
