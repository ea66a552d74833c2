import { tooManyRequests, unavailable } from '../errors.js';

const RETRY_AFTER_SECONDS = 2;

/** A limited amount of a resource, such as bytes of memory, of which one caller gets at most a share. */
export class SharedBudget {
  private used = 0;
  private readonly usedBy = new Map<string, number>();

  constructor(
    private readonly name: string,
    private readonly totalMax: number,
    private readonly callerMax = totalMax,
  ) {}

  /**
   * Takes the amount for this caller.
   * @returns releases the amount; further calls do nothing
   * @throws AppError `rate_limit_exceeded` beyond the caller's share, `service_unavailable` beyond the total
   */
  reserve(amount: number, caller: string): () => void {
    const ofCaller = this.usedBy.get(caller) ?? 0;
    if (ofCaller > 0 && ofCaller + amount > this.callerMax) {
      const message = `Too many ${this.name} at once. Wait until earlier ones are answered.`;
      throw tooManyRequests(message, RETRY_AFTER_SECONDS);
    }
    if (this.used > 0 && this.used + amount > this.totalMax) throw unavailable(new Error(`too many ${this.name}`));
    this.add(amount, caller);
    let isHeld = true;
    return () => {
      if (isHeld) this.add(-amount, caller);
      isHeld = false;
    };
  }

  private add(amount: number, caller: string): void {
    this.used += amount;
    const ofCaller = (this.usedBy.get(caller) ?? 0) + amount;
    if (ofCaller === 0) this.usedBy.delete(caller);
    else this.usedBy.set(caller, ofCaller);
  }
}
