import { createHash } from 'node:crypto';
import { statementOf, type Entry } from './entry.js';

/** Where the chain of a workspace ends. */
export interface Head {
  /** Of the last entry; they are numbered from 1 without gaps. */
  seq: number;
  hash: string;
}

export const EMPTY: Head = { seq: 0, hash: '0'.repeat(64) };

/** These cannot go on until an operator has looked at them: see docs/audit.md. */
export class ChainsBlocked extends Error {
  override readonly name = 'ChainsBlocked';
  constructor(readonly workspaces: string[]) {
    super(`the audit logs of ${workspaces.join(', ')} cannot go on: their next place is taken, or their end is none`);
  }
}

/** An entry in its place: it carries the hash of the one before it. */
export interface LinkedEntry extends Entry {
  seq: number;
  previousHash: string;
  hash: string;
}

export function linkTo(head: Head, entry: Entry): LinkedEntry {
  const placed = { ...entry, seq: head.seq + 1, previousHash: head.hash };
  return { ...placed, hash: hashOf(placed) };
}

/** In one order, on every level: what the hash covers must never change. */
const COVERED = [
  'action',
  'actor',
  'changes',
  'created_at',
  'email',
  'id',
  'ip_address',
  'label',
  'name',
  'previous_hash',
  'request_id',
  'seq',
  'target',
  'token_id',
  'type',
  'workspace',
];

/**
 * SHA-256 of the entry as JSON with sorted names and no white space, `changes` as text. All values but one are texts or
 * null, so that any language writes the same JSON (RFC 8785 as far as it matters here).
 */
export function hashOf(entry: Omit<LinkedEntry, 'hash'>): string {
  const { workspace, seq, previousHash } = entry;
  const covered = { ...statementOf(entry), workspace, seq, previous_hash: previousHash };
  return createHash('sha256').update(JSON.stringify(covered, COVERED)).digest('hex');
}
