import { REQUESTERS, WORK_QUEUES } from '@waymark/contract/queues';

const MIB = 1024 * 1024;

/** Limits that an operator may set; the sum of all must fit on the broker's disk above `disk_free_limit`. */
export interface QueueLimits {
  /** Bytes of `analytics.scans`; above it the redirects keep scans in their spools. */
  scanBytesMax: number;
  /** Bytes of each other work queue; above it events wait in the outboxes of their services. */
  workBytesMax: number;
  /** Bytes of each `.retry` and each `.parked` queue; above it messages stay in their work queue. */
  companionBytesMax: number;
}

export const DEFAULT_LIMITS: QueueLimits = {
  scanBytesMax: 8192 * MIB,
  workBytesMax: 1024 * MIB,
  companionBytesMax: 256 * MIB,
};

export interface Policy {
  vhost: string;
  name: string;
  pattern: string;
  'apply-to': 'queues';
  priority: number;
  definition: Record<string, number | string>;
}

const SCANS = 'analytics.scans';
const QUESTIONS_MAX = 10_000;
const QUESTION_BYTES_MAX = 64 * MIB;
/** Longer than every caller's deadline. */
const QUESTION_TTL_MS = 10_000;

/**
 * Limits as policies: unlike a queue's arguments they can change while it exists. A message that a full queue refuses
 * stays with its publisher; only a question is dropped. `namespace` is the installation's, or `ANY_NAMESPACE`.
 */
export function policies(vhost: string, namespace: string, limits: QueueLimits = DEFAULT_LIMITS): Policy[] {
  const policy = (name: string, queues: string, definition: Policy['definition']): Policy => ({
    vhost,
    name: `waymark-${name}`,
    pattern: `^${namespace}\\.${queues}$`,
    'apply-to': 'queues',
    priority: 10,
    definition,
  });
  const bounded = (bytes: number) => ({ 'max-length-bytes': bytes, overflow: 'reject-publish' });
  const work = oneOf(WORK_QUEUES.filter((name) => name !== SCANS));
  return [
    policy('scans', oneOf([SCANS]), bounded(limits.scanBytesMax)),
    policy('work', work, bounded(limits.workBytesMax)),
    policy('companions', `${oneOf(WORK_QUEUES)}\\.(retry|parked)`, bounded(limits.companionBytesMax)),
    policy('questions', `${oneOf(Object.keys(REQUESTERS))}\\.questions`, {
      'max-length': QUESTIONS_MAX,
      'max-length-bytes': QUESTION_BYTES_MAX,
      'message-ttl': QUESTION_TTL_MS,
      overflow: 'drop-head',
    }),
  ];
}

/** For servers that several installations share, as in development. */
export const ANY_NAMESPACE = '[a-z0-9-]+';

const oneOf = (names: readonly string[]): string => `(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})`;
