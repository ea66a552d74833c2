import { BlockList, isIP } from 'node:net';
import type { Request } from 'express';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';

/** Express's trust function: whether it trusts the proxy with this address at this distance in hops. */
export type IsTrusted = (address: string, hop: number) => boolean;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Determines the client address of a request, and warns the operator when a proxy hides client addresses. */
export class ClientAddresses {
  private readonly hiddenCounter;
  private isWarned = false;

  constructor(
    private readonly isTrusted: IsTrusted,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.hiddenCounter = metrics.counter(
      'hidden_client_addresses_total',
      'Requests whose client address is that of a trusted proxy, so that their clients share one limit',
    );
  }

  /** @returns `null` when there is no valid address: a trusted proxy may forward any text */
  addressOf(request: Request): string | null {
    const { ip } = request;
    return ip !== undefined && isIP(ip) ? ip : (request.socket.remoteAddress ?? null);
  }

  /** Call it for an address that a limit applies to. */
  warnIfHidden(address: string): void {
    if (!this.isTrusted(address, 0) || isLoopback(address)) return;
    this.hiddenCounter.inc();
    if (this.isWarned) return;
    this.isWarned = true;
    this.log.warn(
      { address },
      'a client has an address of TRUSTED_PROXIES: all clients behind it share one limit. Make the load balancer keep client addresses (externalTrafficPolicy: Local) or send X-Forwarded-For, or narrow TRUSTED_PROXIES',
    );
  }
}

const isLoopback = (address: string): boolean => loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
