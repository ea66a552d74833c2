const HOSTNAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const HOSTNAME_LENGTH_MAX = 253;

/** Tells the default short host, under any of its names, from custom hostnames. */
export class ShortHosts {
  private readonly defaults: ReadonlySet<string>;

  /** `names` are lower-case, with or without a port. */
  constructor(names: Iterable<string>) {
    // Also without the port, since it may be mapped on the way.
    this.defaults = new Set([...names].flatMap((name) => [name, withoutPort(name)]));
  }

  /** `null` for the default host, `undefined` for what can't be a host that serves links. */
  hostnameOf(hostHeader: string | undefined): string | null | undefined {
    if (hostHeader === undefined) return undefined;
    if (this.defaults.has(hostHeader)) return null;
    const hostname = withoutPort(hostHeader.toLowerCase());
    if (this.defaults.has(hostname)) return null;
    return hostname.length <= HOSTNAME_LENGTH_MAX && HOSTNAME.test(hostname) ? hostname : undefined;
  }
}

/** Without the port, and without the dot that ends an absolute name. */
const withoutPort = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '');
