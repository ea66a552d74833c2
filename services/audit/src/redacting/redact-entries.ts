import { yieldingToEventLoop } from '@waymark/kernel/async/yielding-to-event-loop';
import type { ErasureStep } from '@waymark/kernel/erasure/erasure-steps';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { AnchorKeys } from '../chain/anchor-keys.js';
import type { Entry } from '../chain/entry.js';
import { withoutPersonalData, withoutTexts, type ErasedUsers } from '../chain/redaction.js';
import type { ActorCount, DayCountStore } from '../entries/day-count-store.js';
import type { EntryStore, StoredEntry } from '../entries/entry-store.js';
import { facetsOfEntry, withoutActors } from '../entries/facets.js';
import type { PersonalEntries } from '../entries/personal-entries.js';
import { readChanges, unreadableFields } from '../entries/unreadable-fields.js';
import type { WaitingEntry, WaitingStore } from '../entries/waiting-store.js';
import { emailCounts } from './email-counts.js';

export interface RedactContext extends WorkerContext {
  entries: EntryStore;
  waiting: WaitingStore;
  dayCounts: DayCountStore;
  keys: AnchorKeys;
}

/** A collection of entries. */
interface Redactable<E extends Entry> {
  name: string;
  personal: PersonalEntries<E>;
  redact: (found: E[], erased: ErasedUsers) => Promise<void>;
}

const NAME = 'redaction';
/** Each is read, signed and written as a whole. */
const ENTRIES_AT_ONCE = 50;

/**
 * Returns the steps that remove the personal data of a user from the entries of every log. The chain stays as it is: each
 * redacted entry keeps its hash, and a signature vouches for what is left of it. Nothing vouches for an entry that was
 * changed before, so that the verification still reports it.
 */
export function redactionSteps(ctx: RedactContext): ErasureStep[] {
  // Waiting entries come first: they move to the log, never back.
  const [waiting, log] = [waitingEntries(ctx), logEntries(ctx)];
  const sources = [waiting.personal, log.personal];
  return [personalStep(waiting), personalStep(log), tokenStep(waiting, sources), tokenStep(log, sources)];
}

/** Redacts the entries of the user, about the user, and of invitations to the user. */
const personalStep = <E extends Entry>({ name, personal, redact }: Redactable<E>): ErasureStep => ({
  name,
  eraseBatch: async (userId, limit, email) => {
    const found = await personal.findEntries({ userId, email }, Math.min(limit, ENTRIES_AT_ONCE));
    const emails = new Set(email === undefined ? [] : [email]);
    if (found.length > 0) await redact(found, { ids: new Set([userId]), emails });
    return found.length;
  },
});

/** Redacts the entries of other actors that name a token of the user. @param sources show which tokens those are */
const tokenStep = <E extends Entry>(
  { name, personal, redact }: Redactable<E>,
  sources: Pick<PersonalEntries<Entry>, 'ownTokenIds'>[],
): ErasureStep => ({
  name,
  // Finding the tokens again for each few entries would take longer than redacting those.
  eraseBatch: async (userId, limit) => {
    let count = 0;
    for (const source of sources) {
      for await (const tokenIds of source.ownTokenIds(userId)) {
        const erased = { ids: new Set([userId]), emails: new Set<string>(), tokenIds: new Set(tokenIds) };
        for (;;) {
          const found = await personal.findTokenNames(tokenIds, Math.min(limit - count, ENTRIES_AT_ONCE));
          if (found.length === 0) break;
          await redact(found, erased);
          count += found.length;
          if (count >= limit) return count;
        }
      }
    }
    return count;
  },
});

function logEntries(ctx: RedactContext): Redactable<StoredEntry> {
  const { entries, dayCounts, keys } = ctx;
  return {
    name: 'log_entries',
    personal: entries.personal,
    redact: async (found, erased) => {
      const counts: ActorCount[] = [];
      const redacted: StoredEntry[] = [];
      for await (const entry of yieldingToEventLoop(found)) {
        counts.push(...emailCounts(entry, erased));
        redacted.push(checkReadable(ctx, entry) ? redactEntry(keys, entry, erased) : redactDamaged(entry));
      }
      // The counts under the ids stay.
      await dayCounts.removeCounts(counts);
      await entries.replaceEntries(redacted);
    },
  };
}

function redactEntry(keys: AnchorKeys, entry: StoredEntry, erased: ErasedUsers): StoredEntry {
  const left = withoutPersonalData(entry, erased);
  const redaction = keys.signRedaction(left);
  return {
    ...left,
    facets: facetsOfEntry(left),
    redaction: keys.isGenuine(entry) ? redaction : { ...redaction, signature: '' },
  };
}

const redactDamaged = (entry: StoredEntry): StoredEntry => ({
  ...withoutTexts(entry),
  facets: withoutActors(entry.facets),
  redaction: { redactedAt: new Date().toISOString(), signature: '' },
});

function waitingEntries(ctx: RedactContext): Redactable<WaitingEntry> {
  const { waiting } = ctx;
  return {
    name: 'waiting_entries',
    personal: waiting.personal,
    redact: async (found, erased) => {
      const redacted: WaitingEntry[] = [];
      for await (const entry of yieldingToEventLoop(found)) {
        const left = checkReadable(ctx, entry) ? withoutPersonalData(entry, erased) : withoutTexts(entry);
        redacted.push(waiting.signAgain(left, entry));
      }
      await waiting.replaceEntries(redacted);
    },
  };
}

/**
 * A damaged entry must not stop the erasure. It loses every text, because nothing shows whose data it holds.
 * @returns false for a damaged entry, which it logs and counts
 */
function checkReadable({ log, lifecycle }: RedactContext, entry: Entry): boolean {
  if (unreadableFields(entry).length === 0 && readChanges(entry.changes) !== null) return true;
  log.error({ workspace: entry.workspace, id: entry._id, work: NAME }, 'damaged audit entry');
  lifecycle.reportWorkFailed(NAME);
  return false;
}
