/** An ordinary handshake takes one to three milliseconds of CPU time, also with a certificate that does not verify. */
const ORDINARY_MS = 10;
/** So the handshakes with one origin take at most 0.2 percent of the CPU time of the thread. */
const PAUSE_PER_MS = 500;
const ORIGINS_MAX = 10_000;

/** A handshake with this origin failed recently and took much CPU time. */
export class HandshakePaused extends Error {
  override readonly name = 'HandshakePaused';
  readonly code = 'EPAUSED';
}

/**
 * Remembers the origins whose failed handshakes took much CPU time, and how long no other one is made. OpenSSL verifies
 * every signature of a chain that it rejects, and the receiver chooses the keys: 16 KiB of certificates with the most
 * costly ones take 0.15 s.
 */
export class HandshakePauses {
  /** By `performance.now()`. */
  private readonly endsAt = new Map<string, number>();

  hasPause(origin: string): boolean {
    return (this.endsAt.get(origin) ?? 0) > performance.now();
  }

  /** Called for each handshake that failed. */
  addFailure(origin: string, cpuMs: number): void {
    if (cpuMs < ORDINARY_MS) return;
    this.endsAt.delete(origin);
    this.endsAt.set(origin, performance.now() + cpuMs * PAUSE_PER_MS);
    if (this.endsAt.size > ORIGINS_MAX) this.endsAt.delete(this.endsAt.keys().next().value!);
  }
}
