import { Resolver } from 'node:dns/promises';

/** What the name servers say of a record. Only they can say that it is `missing`; `unknown` says nothing about it. */
export type Finding = { kind: 'found' } | { kind: 'missing' | 'unknown'; reason: string };
export type LookUp = (name: string, value: string) => Promise<Finding>;

const TRIES = 2;

/**
 * Asks every one of the given servers by itself; what more than half of them say counts, so that one that is dead or
 * lies decides nothing. The machine's own servers count as one.
 */
export function createLookUp(servers: readonly string[], timeoutMs: number): LookUp {
  const places = servers.length === 0 ? [undefined] : servers;
  return async (name, value) => {
    const findings = await Promise.all(places.map((server) => ask(server, name, value, timeoutMs)));
    return verdict(findings);
  };
}

export function verdict(findings: readonly Finding[]): Finding {
  for (const kind of ['found', 'missing'] as const) {
    const alike = findings.filter((finding) => finding.kind === kind);
    if (alike.length * 2 > findings.length) return alike[0]!;
  }
  const silent = findings.find(({ kind }) => kind === 'unknown');
  return silent ?? { kind: 'unknown', reason: 'The name servers contradict each other.' };
}

/** A resolver for each look-up: nothing is remembered from an earlier one. */
async function ask(server: string | undefined, name: string, value: string, timeoutMs: number): Promise<Finding> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / TRIES), tries: TRIES });
  if (server !== undefined) resolver.setServers([server]);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  try {
    const records = await resolver.resolveTxt(name);
    const isThere = records.some((strings) => strings.join('').trim() === value);
    if (isThere) return { kind: 'found' };
    return { kind: 'missing', reason: `${name} has TXT records, but none with the expected value.` };
  } catch (error) {
    return failure((error as NodeJS.ErrnoException).code ?? 'UNKNOWN', name);
  } finally {
    clearTimeout(timer);
  }
}

/** https://nodejs.org/docs/latest-v20.x/api/dns.html#error-codes */
function failure(code: string, name: string): Finding {
  switch (code) {
    case 'ENOTFOUND':
      return { kind: 'missing', reason: `NXDOMAIN: there is no name ${name}.` };
    case 'ENODATA':
      return { kind: 'missing', reason: `NODATA: ${name} has no TXT record.` };
    case 'ESERVFAIL':
      return { kind: 'unknown', reason: `SERVFAIL: the name servers of ${name} failed to answer.` };
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return { kind: 'unknown', reason: `The name servers of ${name} did not answer in time.` };
    default:
      return { kind: 'unknown', reason: `${name} could not be looked up (${code}).` };
  }
}
