import { isDeepStrictEqual } from 'node:util';
import type { AuditVerdict } from '@waymark/contract/audit-logs';
import type { LogStores } from './append-entries.js';
import { EMPTY, hashOf, type Head } from './chain.js';
import type { StoredEntry } from './entry-store.js';
import { facetsOf } from './facets.js';
import { findStray } from './find-stray.js';

const PIECE = 500;

type Break = NonNullable<AuditVerdict['first_break']>;

/**
 * Verifies a chain from its first entry up to the head read at the start. Works in chunks, to bound memory and to let
 * other requests run; yields the last verified number after each.
 */
export async function* verifyChain(stores: LogStores, workspace: string): AsyncGenerator<number, AuditVerdict> {
  const end = await stores.heads.of(workspace);
  if (end === null) return broken(0, { seq: null, id: null, reason: 'no_end' });
  let last: Head & { _id?: string } = EMPTY;
  while (last.seq < end.seq) {
    const upTo = Math.min(last.seq + PIECE, end.seq);
    for (const entry of await stores.entries.piece(workspace, last.seq, upTo)) {
      const problem = problemOf(entry, last);
      if (problem) return broken(last.seq, problem);
      last = entry;
    }
    if (last.seq < upTo) return broken(last.seq, missing(last.seq + 1));
    yield last.seq;
  }
  if (last.hash !== end.hash) return broken(last.seq - 1, { seq: last.seq, id: idOf(last), reason: 'changed' });
  if (!end.isSigned) return broken(last.seq, { seq: last.seq, id: idOf(last), reason: 'unsigned_end' });
  const stray = await findStray(stores, workspace);
  return stray ? broken(last.seq, unexpected(stray)) : { valid: true, checked: last.seq, first_break: null };
}

const broken = (checked: number, problem: Break): AuditVerdict => ({ valid: false, checked, first_break: problem });
const missing = (seq: number): Break => ({ seq, id: null, reason: 'missing' });
const unexpected = (entry: StoredEntry): Break => ({
  seq: typeof entry.seq === 'number' ? entry.seq : null,
  id: idOf(entry),
  reason: 'unexpected',
});
const idOf = ({ _id }: Partial<StoredEntry>): string | null => (typeof _id === 'string' ? _id : null);

function problemOf(entry: StoredEntry, before: Head): Break | null {
  const { seq } = entry;
  const id = idOf(entry);
  if (seq > before.seq + 1 && Number.isInteger(seq)) return missing(before.seq + 1);
  if (seq !== before.seq + 1) return unexpected(entry);
  if (!isAsHashed(entry)) return { seq, id, reason: 'changed' };
  return entry.previousHash === before.hash ? null : { seq, id, reason: 'unlinked' };
}

function isAsHashed(entry: StoredEntry): boolean {
  try {
    return entry.hash === hashOf(entry) && isDeepStrictEqual(entry.facets, facetsOf(entry));
  } catch {
    // A row without the shape of an entry was not appended by this service.
    return false;
  }
}
