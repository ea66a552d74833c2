import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '@waymark/shared/contract/url';

/** Deprecated IPv4-compatible addresses (RFC 4291): the library takes them for global ones. */
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');

/**
 * Which addresses a delivery may go to: global unicast ones, and the networks that the operator allows. Everything with
 * a special purpose (https://www.iana.org/assignments/iana-ipv4-special-registry) is refused, and so is every IPv6 form
 * that carries an IPv4 address through a translator.
 */
export class AddressPolicy {
  private readonly allowed: [ipaddr.IPv4 | ipaddr.IPv6, number][];

  constructor(allowedNetworks: readonly string[]) {
    this.allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  }

  allows(text: string): boolean {
    const plain = plainForm(text);
    if (plain === null) return false;
    const address = ipaddr.process(plain);
    return isGlobal(address) || this.allowed.some((network) => isIn(address, network));
  }
}

/** One form of all spellings; the library reads `1.2.3` as an address, and `::8.8.8.8` as `::ffff:8.8.8.8`. */
function plainForm(text: string): string | null {
  if (isIP(text) !== 6) return isIP(text) === 4 ? text : null;
  return parseUrl(`http://[${text}]`)?.hostname.slice(1, -1) ?? null;
}

function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && !isIn(address, IPV4_COMPATIBLE);
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}
