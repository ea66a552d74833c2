import type { RequestListener } from 'node:http';
import { toHostname } from '@waymark/contract/hostname';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { DomainStore } from '../domains/domain-store.js';

const TLS_ASK_PATH = '/internal/tls-ask';
/**
 * Visitors choose the name in a TLS handshake: look-ups of invented names must not starve the API of database capacity.
 */
const LOOK_UPS = { total: 4, waitingMax: 200, waitMaxMs: 2000 };

interface TlsAskContext {
  domains: DomainStore;
  /** Every name of the default short host. */
  shortHosts: ReadonlySet<string>;
}

/**
 * Tells a TLS terminator whether to order a certificate for `?domain=`: 200 for every host that serves links, else 404;
 * 503 when too many look-ups wait. Without it, anyone could trigger certificate orders for any name that points here.
 */
export function tlsAskHandler(ctx: TlsAskContext): RequestListener {
  const statusOf = hostStatus(ctx);
  return ({ url = '' }, response) => {
    const send = (status: number) => void response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    const [path, query] = url.split('?', 2);
    if (path !== TLS_ASK_PATH) return send(404);
    statusOf(new URLSearchParams(query)).then(send, () => send(503));
  };
}

function hostStatus({ domains, shortHosts }: TlsAskContext): (query: URLSearchParams) => Promise<number> {
  const lookUps = new KeyedLimit(LOOK_UPS);
  return async (query) => {
    const name = query.get('domain')?.toLowerCase() ?? '';
    // Certificates are for names: a name with a port is invalid, even for our own host.
    if (name.includes(':')) return 404;
    if (shortHosts.has(name)) return 200;
    const hostname = toHostname(name);
    if (hostname === null) return 404;
    return (await lookUps.run('', () => domains.servingDomain(hostname))) ? 200 : 404;
  };
}
