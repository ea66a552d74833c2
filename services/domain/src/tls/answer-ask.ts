import { toHostname } from '@waymark/shared/contract/hostname';
import type { OpsRoute } from '@waymark/shared/kernel/ops-server';
import type { DomainContext } from '../context.js';

export const TLS_ASK_PATH = '/internal/tls-ask';

/**
 * Whether a TLS terminator may order a certificate for `?domain=`: 200 for every host that serves links, else 404. Without
 * it anybody could have certificates ordered for any name that leads here.
 */
export function answerAsk({ domains, shortHosts }: Pick<DomainContext, 'domains' | 'shortHosts'>): OpsRoute {
  return async (query) => {
    const asked = query.get('domain')?.toLowerCase() ?? '';
    // A certificate is for a name: with its port even our own host is none.
    if (asked.includes(':')) return 404;
    if (shortHosts.has(asked)) return 200;
    const hostname = toHostname(asked);
    return hostname !== null && (await domains.holderOf(hostname)) ? 200 : 404;
  };
}
