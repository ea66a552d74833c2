import { isHostname } from '@waymark/contract/hostname';
import { withoutPort } from '@waymark/contract/short-hosts';

/** Tells the default short host, under any of its names, from custom hostnames. */
export class ShortHosts {
  constructor(
    private readonly defaults: ReadonlySet<string>,
    private readonly hasCustomHosts: boolean,
  ) {}

  /** Returns `null` for the default host, and `undefined` for a name that cannot be a host of links. */
  hostnameOf(hostHeader: string | undefined): string | null | undefined {
    if (hostHeader === undefined) return undefined;
    if (this.defaults.has(hostHeader)) return null;
    const hostname = withoutPort(hostHeader.toLowerCase());
    if (this.defaults.has(hostname)) return null;
    return this.hasCustomHosts && isHostname(hostname) ? hostname : undefined;
  }
}
