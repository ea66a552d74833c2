import { isDeepStrictEqual } from 'node:util';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import { EMPTY_HEAD, entryHash, type Head } from '../chain/chain.js';
import type { StoredEntry } from '../entries/entry-store.js';
import { facetsOfEntry } from '../entries/facets.js';
import { findOrphan, type VerifyContext } from './find-orphan.js';

const SLICE_LENGTH = 500;

type Break = NonNullable<AuditVerdict['first_break']>;

/**
 * Verifies a chain from its first entry up to the head read at the start. Works in chunks, to bound memory and to let
 * other requests run; yields the last verified number after each.
 */
export async function* verifyChain(ctx: VerifyContext, workspace: string): AsyncGenerator<number, AuditVerdict> {
  const end = await ctx.heads.headOf(workspace);
  if (end === null) return brokenVerdict(0, { seq: null, id: null, reason: 'no_end' });
  let last: Head & { _id?: string } = EMPTY_HEAD;
  while (last.seq < end.seq) {
    const upTo = Math.min(last.seq + SLICE_LENGTH, end.seq);
    for (const entry of await ctx.entries.chainSlice(workspace, last.seq, upTo)) {
      const problem = breakAt(ctx.keys, entry, last);
      if (problem) return brokenVerdict(last.seq, problem);
      last = entry;
    }
    if (last.seq < upTo) return brokenVerdict(last.seq, missingEntry(last.seq + 1));
    yield last.seq;
  }
  if (last.hash !== end.hash) return brokenVerdict(last.seq - 1, { seq: last.seq, id: idOf(last), reason: 'changed' });
  if (!end.isSigned) return brokenVerdict(last.seq, { seq: last.seq, id: idOf(last), reason: 'unsigned_end' });
  const orphan = await findOrphan(ctx, workspace);
  return orphan
    ? brokenVerdict(last.seq, unexpectedEntry(orphan))
    : { valid: true, checked: last.seq, first_break: null };
}

const brokenVerdict = (checked: number, problem: Break): AuditVerdict => ({
  valid: false,
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

/** A redacted entry is what the service left of it. */
function isAsAppended(keys: VerifyContext['keys'], entry: StoredEntry): boolean {
  try {
    const { redaction } = entry;
    const isGenuine = redaction ? keys.isRedacted(entry, redaction) : entry.hash === entryHash(entry);
    return isGenuine && isDeepStrictEqual(entry.facets, facetsOfEntry(entry));
  } catch {
    // A row without the shape of an entry was not appended by this service.
    return false;
  }
}
