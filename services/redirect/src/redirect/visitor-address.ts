import { BlockList, isIP, type Socket } from 'node:net';
import { networkOf } from '@waymark/kernel/limits/networks';

/** The names that the gateway's TRUSTED_PROXIES accepts too. */
const NAMED_NETWORKS: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
/** No chain of proxies is longer; a visitor can send any number of addresses. */
const HOPS_MAX = 20;
const PREFIX_MAX = { 4: 32, 6: 128 } as const;

/** True for an address, a network (`10.0.0.0/8`) or one of the named networks. */
export function isNetwork(text: string): boolean {
  if (text in NAMED_NETWORKS) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address) as 0 | 4 | 6;
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= PREFIX_MAX[family]);
}

interface Peer {
  address: string;
  isTrusted: boolean;
}

/** Determines a visitor's address: the peer's own, or the one that trusted proxies report. */
export class VisitorAddress {
  private readonly trusted = new BlockList();
  private readonly peers = new WeakMap<Socket, Peer>();

  constructor(trustedProxies: readonly string[]) {
    for (const network of trustedProxies.flatMap((name) => NAMED_NETWORKS[name] ?? [name])) {
      const [address = '', prefix] = network.split('/');
      const family = isIP(address) as 4 | 6;
      this.trusted.addSubnet(address, Number(prefix ?? PREFIX_MAX[family]), family === 4 ? 'ipv4' : 'ipv6');
    }
  }

  addressOf(socket: Socket, forwardedFor: string | undefined): string {
    const peer = this.peerOf(socket);
    if (forwardedFor === undefined || !peer.isTrusted) return peer.address;
    return this.lastUntrusted(forwardedFor) ?? peer.address;
  }

  /** Returns the address, or for IPv6 the network, that limits apply to; `null` if trusted proxies name no visitor. */
  visitorOf(socket: Socket, forwardedFor: string | undefined): string | null {
    const address = this.addressOf(socket, forwardedFor);
    return this.isTrusted(address) ? null : networkOf(address);
  }

  private peerOf(socket: Socket): Peer {
    return this.peers.get(socket) ?? this.meet(socket);
  }

  private meet(socket: Socket): Peer {
    const address = plain(socket.remoteAddress ?? '');
    const peer = { address, isTrusted: this.isTrusted(address) };
    this.peers.set(socket, peer);
    return peer;
  }

  /** Each proxy appends its peer; everything left of the rightmost untrusted address is that peer's own claim. */
  private lastUntrusted(forwardedFor: string): string | undefined {
    let leftmost: string | undefined;
    let end = forwardedFor.length;
    for (let hops = 0; hops < HOPS_MAX && end >= 0; hops += 1) {
      const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
      const address = plain(withoutPort(forwardedFor.slice(comma + 1, end).trim()));
      end = comma;
      if (isIP(address) === 0) return leftmost;
      if (!this.isTrusted(address)) return address;
      leftmost = address;
    }
    return leftmost;
  }

  private isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.trusted.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}

const plain = (address: string): string =>
  address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;

/** Some proxies write `1.2.3.4:5678` or `[::1]:5678`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}
