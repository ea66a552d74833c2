import { bodyBytes, type Attempt } from '../deliveries/attempt.js';

/** One tenant holds at most a quarter of the bytes, and the last body that it adds may exceed this. */
const TENANT_SHARE = 4;

/** An endpoint with nothing else to send adds one more body, until this many times the limit is held. */
const EXHAUSTED_TIMES = 2;

/**
 * Bounds the memory of the bodies that this process has read and not yet sent, those being sent included, for each tenant
 * and for all of them together.
 */
export class ReadAhead {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.held;
  }

  isFullFor(tenants: readonly string[]): boolean {
    return this.hasReached(this.bytesMax, tenants);
  }

  /** True if also an endpoint with nothing else to send must wait. */
  isExhaustedFor(tenants: readonly string[]): boolean {
    return this.hasReached(this.bytesMax * EXHAUSTED_TIMES, tenants);
  }

  /**
   * Adds attempts of an endpoint in their order until one of its tenants has no room left. The room is checked again
   * here, since many endpoints may have started to read while there was room for one of them.
   * @param countMin added without room as well, until it is exhausted: an endpoint with nothing else to send continues
   * @returns those it has added
   */
  addAttempts(tenants: readonly string[], attempts: readonly Attempt[], countMin: number): Attempt[] {
    const added: Attempt[] = [];
    for (const attempt of attempts) {
      if (added.length < countMin ? this.isExhaustedFor(tenants) : this.isFullFor(tenants)) break;
      this.add(tenants, memoryOf(attempt));
      added.push(attempt);
    }
    return added;
  }

  removeAttempts(tenants: readonly string[], attempts: readonly Attempt[]): void {
    for (const attempt of attempts) this.add(tenants, -memoryOf(attempt));
  }

  private hasReached(bytes: number, tenants: readonly string[]): boolean {
    return this.held >= bytes || tenants.some((each) => this.bytesOf(each) >= bytes / TENANT_SHARE);
  }

  private add(tenants: readonly string[], bytes: number): void {
    this.held += bytes;
    for (const tenant of tenants) {
      const held = this.bytesOf(tenant) + bytes;
      if (held > 0) this.heldBy.set(tenant, held);
      else this.heldBy.delete(tenant);
    }
  }

  private bytesOf(tenant: string): number {
    return this.heldBy.get(tenant) ?? 0;
  }
}

/** V8 keeps two bytes for each character of a text that is not plain ASCII. */
function memoryOf(attempt: Attempt): number {
  const bytes = bodyBytes(attempt);
  const length = attempt.body?.length ?? 0;
  return bytes === length ? bytes : Math.max(bytes, 2 * length);
}
