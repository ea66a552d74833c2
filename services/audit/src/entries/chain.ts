import { createHash } from 'node:crypto';
import type { Entry } from './entry.js';

/** Where the chain of a workspace ends. */
export interface Head {
  /** Of the last entry; they are numbered from 1 without gaps. */
  seq: number;
  hash: string;
}

export const EMPTY: Head = { seq: 0, hash: '0'.repeat(64) };

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

/**
 * SHA-256 of the entry as JSON with sorted names and no white space. All values but one are texts or null, so that any
 * language writes the same JSON (RFC 8785 for what occurs here). What it covers must never change: see docs/audit.md.
 */
export function hashOf(entry: Omit<LinkedEntry, 'hash'>): string {
  const { actor, target } = entry;
  const covered = {
    action: entry.action,
    actor: { email: actor.email, id: actor.id, name: actor.name, token_id: actor.token_id, type: actor.type },
    changes: entry.changes,
    created_at: entry.createdAt.toISOString(),
    id: entry._id,
    ip_address: entry.ipAddress,
    previous_hash: entry.previousHash,
    request_id: entry.requestId,
    seq: entry.seq,
    target: target && { id: target.id, label: target.label, type: target.type },
    workspace: entry.workspace,
  };
  return createHash('sha256').update(JSON.stringify(covered)).digest('hex');
}
