import { isDeepStrictEqual } from 'node:util';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { workspaceCreated } from '@waymark/contract/events';
import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import { EMPTY_HEAD, type Head } from '../chain/chain.js';
import type { StoredEntry } from '../entries/entry-store.js';
import { facetsOfEntry } from '../entries/facets.js';
import { hasFirstEntry, type KeptHead } from './kept-head.js';
import { findOrphan, type VerifyContext } from './find-orphan.js';

/** A reply of the database with more long entries would take too long to read in one turn of the event loop. */
const SLICE_LENGTH = 50;

type Break = NonNullable<AuditVerdict['first_break']>;

const NOTHING_KEPT: KeptHead = { head: null, createdAt: null };
const FIRST_ACTION = workspaceCreated.type;

/**
 * Verifies a chain from its first entry up to the head read at the start. Works in chunks, to bound memory and to let
 * other requests run; yields the last verified number after each.
 * @param kept what auth knew of the log before the head is read: it lags behind the log, never the other way round
 */
export async function* verifyChain(
  ctx: VerifyContext,
  workspace: string,
  kept = NOTHING_KEPT,
): AsyncGenerator<number, AuditVerdict> {
  const end = await ctx.heads.headOf(workspace);
  if (end === null) return brokenVerdict(0, { seq: null, id: null, reason: 'no_end' });
  const seen: Seen = { hasCreation: false, keptHash: null };
  let last: Head & { _id?: string } = EMPTY_HEAD;
  while (last.seq < end.seq) {
    const upTo = Math.min(last.seq + SLICE_LENGTH, end.seq);
    // An entry costs up to a millisecond: a long one, or a redacted one, whose signature is checked.
    for await (const entry of yieldingToEventLoop(await ctx.entries.chainSlice(workspace, last.seq, upTo))) {
      const problem = breakAt(ctx.keys, entry, last);
      if (problem) return brokenVerdict(last.seq, problem);
      last = entry;
      if (entry.action === FIRST_ACTION) seen.hasCreation = true;
      if (entry.seq === kept.head?.seq) seen.keptHash = entry.hash;
    }
    if (last.seq < upTo) return brokenVerdict(last.seq, missingEntry(last.seq + 1));
    yield last.seq;
  }
  if (last.hash !== end.hash) return brokenVerdict(last.seq - 1, { seq: last.seq, id: idOf(last), reason: 'changed' });
  if (!end.isSigned) return brokenVerdict(last.seq, { seq: last.seq, id: idOf(last), reason: 'unsigned_end' });
  const orphan = await findOrphan(ctx, workspace);
  if (orphan) return brokenVerdict(last.seq, unexpectedEntry(orphan));
  const lost = lostPart(last, seen, { kept, now: await ctx.db.now() });
  return lost ? brokenVerdict(last.seq, lost) : { valid: true, checked: last.seq, first_break: null };
}

/** What the entries of a chain that is whole in itself show. */
interface Seen {
  hasCreation: boolean;
  /** Hash of the entry that was the last one when auth kept the head. */
  keptHash: string | null;
}

/** Finds what is missing from a log that was emptied, or reset to an earlier end, in the whole database of audit. */
function lostPart({ seq }: Head, seen: Seen, { kept, now }: { kept: KeptHead; now: Date }): Break | null {
  if (seq === 0) return hasFirstEntry(kept, now) ? missingEntry(1) : null;
  if (kept.head === null || seen.keptHash === kept.head.hash) return null;
  return seen.hasCreation ? { seq: kept.head.seq, id: null, reason: 'rolled_back' } : missingEntry(1);
}

const brokenVerdict = (checked: number, problem: Break): AuditVerdict => ({
  valid: false,
  reason: problem.reason,
  checked,
  first_break: problem,
});
const missingEntry = (seq: number): Break => ({ seq, id: null, reason: 'missing' });
const unexpectedEntry = (entry: StoredEntry): Break => ({
  seq: typeof entry.seq === 'number' ? entry.seq : null,
  id: idOf(entry),
  reason: 'unexpected',
});
const idOf = ({ _id }: Partial<StoredEntry>): string | null => (typeof _id === 'string' ? _id : null);

function breakAt(keys: VerifyContext['keys'], entry: StoredEntry, before: Head): Break | null {
  const { seq } = entry;
  const id = idOf(entry);
  if (seq > before.seq + 1 && Number.isInteger(seq)) return missingEntry(before.seq + 1);
  if (seq !== before.seq + 1) return unexpectedEntry(entry);
  if (!isAsAppended(keys, entry)) return { seq, id, reason: 'changed' };
  return entry.previousHash === before.hash ? null : { seq, id, reason: 'unlinked' };
}

function isAsAppended(keys: VerifyContext['keys'], entry: StoredEntry): boolean {
  return keys.isGenuine(entry) && isDeepStrictEqual(entry.facets, facetsOfEntry(entry));
}
