import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { AnchorKeys } from '../chain/anchor-keys.js';
import { withoutPersonalData, type ErasedUsers } from '../chain/redaction.js';
import type { DayCountStore } from '../entries/day-count-store.js';
import type { EntryStore, StoredEntry } from '../entries/entry-store.js';
import { facetsOfEntry } from '../entries/facets.js';

export interface RedactContext {
  entries: EntryStore;
  dayCounts: DayCountStore;
  keys: AnchorKeys;
}

/** Each is read, signed and written as a whole. */
const ENTRIES_AT_ONCE = 50;

/**
 * Removes the personal data of a user from some entries of every log. The chain stays as it is: each redacted entry
 * keeps its hash, and a signature vouches for what is left of it. Nothing vouches for an entry that was changed before, so
 * that the verification still reports it.
 * @returns the number of redacted entries; 0 once none is left
 */
export async function redactEntries(
  ctx: RedactContext,
  user: { userId: string; email: string | undefined },
  limitMax: number,
): Promise<number> {
  const { userId, email } = user;
  const limit = Math.min(limitMax, ENTRIES_AT_ONCE);
  const personal = await ctx.entries.findPersonalEntries(user, limit);
  const aboutTokens = personal.length > 0 ? [] : await ctx.entries.findOwnTokenEntries(userId, limit);
  const found = [...personal, ...aboutTokens];
  if (found.length === 0) return 0;
  const erased = {
    ids: new Set([userId]),
    emails: new Set(email === undefined ? [] : [email]),
    tokenIds: new Set(aboutTokens.map(({ target }) => target!.id)),
  };
  const redacted: StoredEntry[] = [];
  for await (const entry of yieldingToEventLoop(found)) redacted.push(redact(ctx.keys, entry, erased));
  await ctx.dayCounts.removeActors(found.filter(({ actor }) => actor.id === userId));
  await ctx.entries.replaceEntries(redacted);
  return redacted.length;
}

function redact(keys: AnchorKeys, entry: StoredEntry, erased: ErasedUsers): StoredEntry {
  const left = withoutPersonalData(entry, erased);
  const redaction = keys.signRedaction(left);
  return {
    ...left,
    facets: facetsOfEntry(left),
    redaction: keys.isGenuine(entry) ? redaction : { ...redaction, signature: '' },
  };
}
