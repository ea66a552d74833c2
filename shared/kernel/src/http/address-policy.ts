import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** https://www.iana.org/assignments/ipv6-address-space: nothing else is allocated as global unicast. */
const GLOBAL_UNICAST = networkOf('2000::/3');

/**
 * Special-purpose networks that are on no public network:
 * https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry, multicast, and the
 * address of Azure's hosts, which is public.
 */
export const SPECIAL_NETWORKS = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '168.63.129.16/32',
  // IETF protocols (Teredo and ORCHID among them), documentation, 6to4, AS112, and the former 6bone.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20'],
];
const SPECIAL = SPECIAL_NETWORKS.map(networkOf);

/**
 * Decides which addresses are public enough: global unicast ones and the networks that the operator allows; never
 * those that the operator denies. An IPv6 form of an IPv4 address is that address (`::ffff:0:0/96`) or refused.
 */
export class AddressPolicy {
  private readonly allowed: Network[];
  private readonly denied: Network[];

  constructor(allowedNetworks: readonly string[], deniedNetworks: readonly string[] = []) {
    this.allowed = allowedNetworks.map(networkOf);
    this.denied = deniedNetworks.map(networkOf);
  }

  allowsAddress(text: string): boolean {
    const plain = plainForm(text);
    if (plain === null) return false;
    const address = ipaddr.process(plain);
    if (isInOne(this.denied, address)) return false;
    return isGlobal(address) || isInOne(this.allowed, address);
  }
}

/** Normalizes the spelling; the library reads `1.2.3` as an address, and `::8.8.8.8` as `::ffff:8.8.8.8`. */
function plainForm(text: string): string | null {
  if (isIP(text) !== 6) return isIP(text) === 4 ? text : null;
  return URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) ?? null;
}

function isGlobal(address: Address): boolean {
  const isUnicast = address.kind() === 'ipv4' || isIn(address, GLOBAL_UNICAST);
  return isUnicast && !isInOne(SPECIAL, address);
}

function isInOne(networks: readonly Network[], address: Address): boolean {
  return networks.some((network) => isIn(address, network));
}

function isIn(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function networkOf(text: string): Network {
  return ipaddr.parseCIDR(text);
}
