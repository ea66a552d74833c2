import { AppError } from '@waymark/shared/kernel/errors';
import { networkOf } from '@waymark/shared/kernel/network-of';

const MINUTE_MS = 60_000;
const ADDRESSES_MAX = 10_000;

interface Minute {
  count: number;
  /** By this process's steady clock. */
  endsAt: number;
}

/** Counts bearers that auth did not know, by address and minute, in this process alone: coarse, but costs nothing. */
export class BadBearers {
  /** In the order in which the minutes began. */
  private readonly minutes = new Map<string, Minute>();

  constructor(private readonly perMinute: number) {}

  /** @throws AppError `rate_limit_exceeded` for an address that has used up its minute. */
  check(address: string | undefined): void {
    const minute = this.minutes.get(networkOf(address));
    const leftMs = minute && minute.count >= this.perMinute ? minute.endsAt - performance.now() : 0;
    if (leftMs <= 0) return;
    throw new AppError('rate_limit_exceeded', 'Too many requests with an unknown token. Try again later.', {
      headers: { 'Retry-After': String(Math.ceil(leftMs / 1000)) },
    });
  }

  count(address: string | undefined): void {
    const network = networkOf(address);
    const minute = this.minutes.get(network);
    if (minute && minute.endsAt > performance.now()) {
      minute.count += 1;
      return;
    }
    this.minutes.delete(network);
    this.minutes.set(network, { count: 1, endsAt: performance.now() + MINUTE_MS });
    if (this.minutes.size > ADDRESSES_MAX) this.minutes.delete(this.minutes.keys().next().value!);
  }
}
