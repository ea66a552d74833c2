import { toHostname } from '@waymark/shared/contract/hostname';
import type { OpsRoute } from '@waymark/shared/kernel/ops-server';
import { Turnstile } from '@waymark/shared/kernel/turnstile';
import type { DomainContext } from '../context.js';
import { UnknownHosts } from './unknown-hosts.js';

export const TLS_ASK_PATH = '/internal/tls-ask';
/** A visitor chooses the name in a TLS handshake: look-ups of invented names never take the database from the API. */
const LOOK_UPS_AT_ONCE = 4;
const LOOK_UPS_WAITING = 200;
const WAIT_MS = 2000;

/**
 * Whether a TLS terminator may order a certificate for `?domain=`: 200 for every host that serves links, else 404; 503 when
 * too many look-ups wait. Without it anybody could have certificates ordered for any name that leads here.
 */
export function answerAsk({ domains, shortHosts }: Pick<DomainContext, 'domains' | 'shortHosts'>): OpsRoute {
  const unknownHosts = new UnknownHosts();
  const lookUps = new Turnstile(LOOK_UPS_AT_ONCE, LOOK_UPS_WAITING, WAIT_MS);
  return async (query) => {
    const asked = query.get('domain')?.toLowerCase() ?? '';
    // A certificate is for a name: with its port even our own host is none.
    if (asked.includes(':')) return 404;
    if (shortHosts.has(asked)) return 200;
    const hostname = toHostname(asked);
    if (hostname === null || unknownHosts.has(hostname)) return 404;
    const isServed = (await lookUps.pass(() => domains.holderOf(hostname))) !== null;
    if (!isServed) unknownHosts.add(hostname);
    return isServed ? 200 : 404;
  };
}
