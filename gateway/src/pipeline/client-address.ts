import { BlockList, isIP } from 'node:net';
import type { Request } from 'express';
import type { Log } from '@waymark/shared/kernel/log';
import type { Metrics } from '@waymark/shared/kernel/metrics';

/** As Express is given it: whether the proxy with this address, so many hops away, is trusted. */
export type IsTrusted = (address: string, hop: number) => boolean;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Finds the address of a request's client, and tells the operator when a proxy hides the clients behind it. */
export class ClientAddresses {
  private readonly hidden;
  private isWarned = false;

  constructor(
    private readonly isTrusted: IsTrusted,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.hidden = metrics.counter(
      'hidden_client_addresses_total',
      'Requests whose client address is that of a trusted proxy, so that their clients share one limit',
    );
  }

  /** `null` where there is none: a trusted proxy may forward anything. */
  of(request: Request): string | null {
    const { ip } = request;
    return ip !== undefined && isIP(ip) ? ip : (request.socket.remoteAddress ?? null);
  }

  isProxy(address: string): boolean {
    return this.isTrusted(address, 0);
  }

  /** To be called for an address that a limit is kept for. */
  checkHidden(address: string): void {
    if (!this.isTrusted(address, 0) || isLoopback(address)) return;
    this.hidden.inc();
    if (this.isWarned) return;
    this.isWarned = true;
    this.log.warn(
      { address },
      'a client has an address of TRUSTED_PROXIES: all clients behind it share one limit. Make the load balancer keep client addresses (externalTrafficPolicy: Local) or send X-Forwarded-For, or narrow TRUSTED_PROXIES',
    );
  }
}

const isLoopback = (address: string): boolean => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
