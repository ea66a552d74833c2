import { withoutPort } from '@waymark/shared/kernel/config';

const HOSTNAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const HOSTNAME_LENGTH_MAX = 253;

/** Tells the default short host, under any of its names, from custom hostnames. */
export class ShortHosts {
  constructor(private readonly defaults: ReadonlySet<string>) {}

  /** `null` for the default host, `undefined` for what can't be a host that serves links. */
  hostnameOf(hostHeader: string | undefined): string | null | undefined {
    if (hostHeader === undefined) return undefined;
    if (this.defaults.has(hostHeader)) return null;
    const hostname = withoutPort(hostHeader.toLowerCase());
    if (this.defaults.has(hostname)) return null;
    return hostname.length <= HOSTNAME_LENGTH_MAX && HOSTNAME.test(hostname) ? hostname : undefined;
  }
}
