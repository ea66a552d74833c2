import { toHostname } from '@waymark/contract/hostname';
import type { OpsRoute } from '@waymark/kernel/process/ops-server';
import { Semaphore } from '@waymark/kernel/async/semaphore';
import type { DomainContext } from '../context.js';
import { UnknownHosts } from './unknown-hosts.js';

export const TLS_ASK_PATH = '/internal/tls-ask';
/**
 * Visitors choose the name in a TLS handshake: look-ups of invented names must not starve the API of database capacity.
 */
const LOOK_UPS_AT_ONCE = 4;
const LOOK_UPS_WAITING = 200;
const WAIT_MS = 2000;

/**
 * Tells a TLS terminator whether to order a certificate for `?domain=`: 200 for every host that serves links, else 404;
 * 503 when too many look-ups wait. Without it, anyone could trigger certificate orders for any name that points here.
 */
export function answerAsk({ domains, shortHosts }: Pick<DomainContext, 'domains' | 'shortHosts'>): OpsRoute {
  const unknownHosts = new UnknownHosts();
  const lookUps = new Semaphore(LOOK_UPS_AT_ONCE, LOOK_UPS_WAITING, WAIT_MS);
  return async (query) => {
    const asked = query.get('domain')?.toLowerCase() ?? '';
    // Certificates are for names: a name with a port is invalid, even for our own host.
    if (asked.includes(':')) return 404;
    if (shortHosts.has(asked)) return 200;
    const hostname = toHostname(asked);
    if (hostname === null || unknownHosts.has(hostname)) return 404;
    const isServed = (await lookUps.run(() => domains.holderOf(hostname))) !== null;
    if (!isServed) unknownHosts.add(hostname);
    return isServed ? 200 : 404;
  };
}
