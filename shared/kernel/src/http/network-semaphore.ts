import { KeyedSemaphore, type SemaphoreLimits } from '../async/keyed-semaphore.js';
import { networksOf } from './networks.js';

interface NetworkLimits {
  /** Of one IPv4 address or IPv6 /64. `site` bounds the total that runs. */
  address: Omit<SemaphoreLimits, 'runningMax'>;
  /** Of one IPv4 address or IPv6 /48. */
  site: SemaphoreLimits;
}

/**
 * A bounded semaphore that is fair to addresses, and to the /64 networks of an IPv6 /48 that share its permits. Work waits
 * for its address first, so that a flood of one /64 fills only its own line and has few places in the line of its /48.
 */
export class NetworkSemaphore {
  private readonly addresses: KeyedSemaphore;
  private readonly sites: KeyedSemaphore;

  constructor({ address, site }: NetworkLimits) {
    this.addresses = new KeyedSemaphore({ ...address, runningMax: Infinity });
    this.sites = new KeyedSemaphore(site);
  }

  /** As `KeyedSemaphore.run`. */
  run<T>(address: string | null, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const networks = networksOf(address ?? '');
    const runInSite = () => this.sites.run(networks.at(-1)!.name, work, signal);
    return this.addresses.run(networks[0]!.name, runInSite, signal);
  }
}
