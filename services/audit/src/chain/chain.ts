import { hash } from 'node:crypto';
import { entryContent, type Entry } from './entry.js';

/** The last entry of a workspace's chain. */
export interface Head {
  /** Number of the last entry; entries are numbered from 1 without gaps. */
  seq: number;
  hash: string;
}

export const EMPTY_HEAD: Head = { seq: 0, hash: '0'.repeat(64) };

/** These chains accept no entries until an operator has repaired them: see docs/audit.md. */
export class ChainsBlocked extends Error {
  override readonly name = 'ChainsBlocked';
  constructor(readonly workspaces: string[]) {
    super(`the audit logs of ${workspaces.join(', ')} are blocked: the next number is taken, or the head is invalid`);
  }
}

/** An entry with its position in the chain: it carries the hash of the previous entry. */
export interface LinkedEntry extends Entry {
  seq: number;
  previousHash: string;
  hash: string;
}

export function linkEntry(head: Head, entry: Entry): LinkedEntry {
  const placed = { ...entry, seq: head.seq + 1, previousHash: head.hash };
  return { ...placed, hash: entryHash(placed) };
}

/** The names that the hash covers, on every level, in a fixed order: they must never change. */
const HASHED_FIELDS = [
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
  'token',
  'token_id',
  'type',
  'workspace',
];

/**
 * Returns the SHA-256 of the entry as JSON with sorted names and no white space, `changes` as text. All values except
 * `seq` are strings or null, so every language writes the same JSON (the part of RFC 8785 that matters here).
 */
export function entryHash(entry: Omit<LinkedEntry, 'hash'>): string {
  const { workspace, seq, previousHash } = entry;
  const covered = { ...entryContent(entry), workspace, seq, previous_hash: previousHash };
  return hash('sha256', JSON.stringify(covered, HASHED_FIELDS), 'hex');
}
