import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { askIfWhole } from './ask-if-whole.js';

/** The result of a look-up. An authoritative answer is `found` or `missing`; `unknown` is inconclusive. */
export type Finding = { kind: 'found' } | { kind: 'missing' | 'unknown'; reason: string };
export type LookUp = (name: string, value: string) => Promise<Finding>;

const QUESTIONS = 3;

/** NODATA counts only when the answer was complete. */
const CODE_OF_NODATA = { whole: 'ENODATA', truncated: 'TRUNCATED', unanswered: 'ETIMEOUT' } as const;

/**
 * Queries every given server separately and returns the finding of the majority, so that a single dead or lying server
 * cannot decide. The machine's own servers count as one.
 */
export function createLookUp(servers: readonly string[], timeoutMs: number): LookUp {
  return async (name, value) => {
    const places = servers.length === 0 ? [new Resolver().getServers()] : servers.map((server) => [server]);
    return verdict(await Promise.all(places.map((place) => ask(place, { name, value, timeoutMs }))));
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

interface Question {
  name: string;
  value: string;
  timeoutMs: number;
}

/** Carries the finding for a query without an answer. */
class Unanswered extends Error {
  constructor(readonly finding: Finding) {
    super('unanswered');
  }
}

/**
 * Queries may be lost and servers may be slow: sends the next query when the last one has failed or used up its share
 * of the time, and accepts answers to all of them until the time-out.
 */
async function ask(servers: string[], question: Question): Promise<Finding> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), question.timeoutMs);
  const answers: Promise<Finding>[] = [];
  try {
    for (let asked = 0; asked < QUESTIONS && !over.signal.aborted; asked += 1) {
      answers.push(askOnce(servers[asked % servers.length]!, question, over.signal));
      const silence = sleep(question.timeoutMs / QUESTIONS, undefined, { signal: over.signal });
      const answer = await Promise.race([Promise.any(answers), silence]).catch(() => undefined);
      if (answer) return answer;
    }
    return await Promise.any(answers);
  } catch (error) {
    const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    if (first instanceof Unanswered) return first.finding;
    throw first;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Uses a new resolver per query, so that nothing is cached. @throws Unanswered */
async function askOnce(server: string, { name, value, timeoutMs }: Question, over: AbortSignal): Promise<Finding> {
  // The signal ends the query: the resolver's own time-out would fire slightly too early.
  const resolver = new Resolver({ timeout: 2 * timeoutMs, tries: 1 });
  resolver.setServers([server]);
  const cancel = () => resolver.cancel();
  over.addEventListener('abort', cancel);
  // Runs in parallel: a slow server could not answer two queries in sequence in time.
  const wholeness = askIfWhole(server, name, over);
  try {
    const records = await resolver.resolveTxt(name);
    const isThere = records.some((strings) => strings.join('').trim() === value);
    if (isThere) return { kind: 'found' };
    // The answer has only a CNAME, whose target has no TXT record.
    if (records.length === 0) return failure('ENODATA', name);
    return { kind: 'missing', reason: `${name} has TXT records, but none with the expected value.` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
    const finding = failure(code === 'ENODATA' ? CODE_OF_NODATA[await wholeness] : code, name);
    if (finding.kind === 'missing') return finding;
    throw new Unanswered(finding);
  } finally {
    over.removeEventListener('abort', cancel);
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
    case 'TRUNCATED':
      return { kind: 'unknown', reason: `The name servers of ${name} sent a truncated answer.` };
    default:
      return { kind: 'unknown', reason: `${name} could not be looked up (${code}).` };
  }
}
