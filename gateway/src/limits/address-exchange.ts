import { ADDRESS_COUNTS_MAX, type AddressCount, type AddressLevel } from '@waymark/contract/address-counts';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { AddressLimiter } from './address-limiter.js';

const EVERY_MS = 1000;

/**
 * Exchanges the levels of busy networks with auth once a second, so that all gateways share one limit. While auth is
 * unavailable, each gateway applies the limit alone. A failed report is not repeated: auth may have counted it.
 */
export function startAddressExchange(
  limiter: AddressLimiter,
  report: (counts: AddressCount[]) => Promise<AddressLevel[]>,
  { log, lifecycle }: { log: Log; lifecycle: Lifecycle },
): void {
  let exchanging: Promise<void> | undefined;
  const exchange = async () => {
    const counts = limiter.takeReport(ADDRESS_COUNTS_MAX);
    if (counts.length === 0) return;
    try {
      limiter.applyLevels(await report(counts));
    } catch (error) {
      log.debug({ err: error, networks: counts.length }, 'counts of addresses not exchanged');
    }
  };
  const timer = setInterval(() => {
    exchanging ??= exchange().finally(() => (exchanging = undefined));
  }, EVERY_MS);
  lifecycle.onStop('address counts', () => {
    clearInterval(timer);
    return exchanging ?? Promise.resolve();
  });
}
