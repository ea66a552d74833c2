import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { probeTruncation } from './truncation-probe.js';

/** The result of a look-up. An authoritative answer is `found` or `missing`; `unknown` is inconclusive. */
export type Finding = { kind: 'found' } | { kind: 'missing' | 'unknown'; reason: string };
export type LookUp = (name: string, value: string) => Promise<Finding>;

/** For one look-up, including all its queries. */
export const LOOK_UP_TIMEOUT_MS = 5000;
const QUERIES_MAX = 3;

const NO_ANSWER_YET: Finding = { kind: 'unknown', reason: 'The name server has not answered yet.' };

/** NODATA counts only when the answer was complete. */
const NODATA_CODES = { complete: 'ENODATA', truncated: 'TRUNCATED', unanswered: 'ETIMEOUT' } as const;

/**
 * Queries every given server separately and returns the finding of the majority, so that a single dead or lying server
 * cannot decide. The machine's own servers count as one.
 */
export function createLookUp(servers: readonly string[], timeoutMs: number): LookUp {
  return async (name, value) => {
    const resolvers = servers.length === 0 ? [new Resolver().getServers()] : servers.map((server) => [server]);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const query = { name, value, timeoutMs, over: over.signal };
    try {
      return await firstMajority(resolvers.map((addresses) => queryWithRetries(addresses, query)));
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  };
}

/** Resolves as soon as the servers that have not answered yet cannot change the finding: a dead one delays nothing. */
function firstMajority(queries: readonly Promise<Finding>[]): Promise<Finding> {
  const findings: Finding[] = queries.map(() => NO_ANSWER_YET);
  let answered = 0;
  return new Promise((resolve, reject) => {
    for (const [index, query] of queries.entries()) {
      query.then((finding) => {
        findings[index] = finding;
        answered += 1;
        const majority = majorityFinding(findings);
        if (majority.kind !== 'unknown' || answered === queries.length) resolve(majority);
      }, reject);
    }
  });
}

export function majorityFinding(findings: readonly Finding[]): Finding {
  for (const kind of ['found', 'missing'] as const) {
    const matching = findings.filter((finding) => finding.kind === kind);
    if (matching.length * 2 > findings.length) return matching[0]!;
  }
  const inconclusive = findings.find(({ kind }) => kind === 'unknown');
  return inconclusive ?? { kind: 'unknown', reason: 'The name servers contradict each other.' };
}

interface TxtQuery {
  name: string;
  value: string;
  timeoutMs: number;
  /** Aborted at the time-out, or as soon as the other servers have decided. */
  over: AbortSignal;
}

/** Carries the finding for a query without an answer. */
class Inconclusive extends Error {
  constructor(readonly finding: Finding) {
    super('no conclusive answer');
  }
}

/**
 * Queries may be lost and servers may be slow: sends the next query when the last one has failed or used up its share
 * of the time, and accepts answers to all of them until the time-out.
 */
async function queryWithRetries(servers: string[], query: TxtQuery): Promise<Finding> {
  const answers: Promise<Finding>[] = [];
  try {
    for (let sent = 0; sent < QUERIES_MAX && !query.over.aborted; sent += 1) {
      answers.push(queryOnce(servers[sent % servers.length]!, query));
      const share = sleep(query.timeoutMs / QUERIES_MAX, undefined, { signal: query.over });
      const answer = await Promise.race([Promise.any(answers), share]).catch(() => undefined);
      if (answer) return answer;
    }
    return await Promise.any(answers);
  } catch (error) {
    const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    if (first instanceof Inconclusive) return first.finding;
    throw first;
  }
}

/** Uses a new resolver per query, so that nothing is cached. @throws Inconclusive */
async function queryOnce(server: string, { name, value, timeoutMs, over }: TxtQuery): Promise<Finding> {
  // The signal ends the query: the resolver's own time-out would fire slightly too early.
  const resolver = new Resolver({ timeout: 2 * timeoutMs, tries: 1 });
  resolver.setServers([server]);
  const cancel = () => resolver.cancel();
  over.addEventListener('abort', cancel);
  // Runs in parallel: a slow server could not answer two queries in sequence in time.
  const truncation = probeTruncation(server, name, over);
  try {
    const records = await resolver.resolveTxt(name);
    const isFound = records.some((strings) => strings.join('').trim() === value);
    if (isFound) return { kind: 'found' };
    // The answer has only a CNAME, whose target has no TXT record.
    if (records.length === 0) return findingOfError('ENODATA', name);
    return { kind: 'missing', reason: `${name} has TXT records, but none with the expected value.` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
    const finding = findingOfError(code === 'ENODATA' ? NODATA_CODES[await truncation] : code, name);
    if (finding.kind === 'missing') return finding;
    throw new Inconclusive(finding);
  } finally {
    over.removeEventListener('abort', cancel);
  }
}

/** https://nodejs.org/docs/latest-v24.x/api/dns.html#error-codes */
function findingOfError(code: string, name: string): Finding {
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
    case 'TRUNCATED':
      return { kind: 'unknown', reason: `The name servers of ${name} sent a truncated answer.` };
    default:
      return { kind: 'unknown', reason: `${name} could not be looked up (${code}).` };
  }
}
