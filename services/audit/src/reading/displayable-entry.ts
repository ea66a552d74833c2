import { z } from 'zod';
import type { AuditEntryBody } from '@waymark/contract/audit-logs';
import { SYSTEM_ACTOR, type Actor } from '@waymark/contract/identity';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkedEntry } from '../chain/chain.js';
import { entryContent, type Entry } from '../chain/entry.js';
import type { StoredEntry } from '../entries/entry-store.js';
import { readChanges, unreadableFields } from '../entries/unreadable-fields.js';

/** An entry that can be shown, even if its row in the database was tampered with. */
export interface DisplayableEntry {
  entry: LinkedEntry;
  changes: AuditEntryBody['changes'];
  /** Some fields could not be read and have replacement values. */
  isDamaged: boolean;
  /** When personal data of an erased user was removed. */
  redactedAt: string | null;
}

const text = z.string().nullable();
/** The place in the chain. */
const PLACE = {
  seq: z.number(),
  previousHash: z.string(),
  hash: z.string(),
} satisfies Record<Exclude<keyof LinkedEntry, keyof Entry>, z.ZodType>;

/** Replacement values for unreadable fields. */
const REPLACEMENT: LinkedEntry = {
  _id: '',
  workspace: '',
  action: 'unreadable',
  actor: { ...SYSTEM_ACTOR, name: null },
  target: null,
  changes: '{}',
  ipAddress: null,
  requestId: null,
  createdAt: new Date(0),
  seq: 0,
  previousHash: '',
  hash: '',
};

function toDisplayable(row: StoredEntry): DisplayableEntry {
  const changes = readChanges(row.changes);
  const places = Object.keys(PLACE) as (keyof typeof PLACE)[];
  const unreadable: (keyof LinkedEntry)[] = [
    ...unreadableFields(row),
    ...places.filter((name) => !PLACE[name].safeParse(row[name]).success),
    ...(changes === null ? (['changes'] as const) : []),
  ];
  const replaced = Object.fromEntries(unreadable.map((name) => [name, REPLACEMENT[name]]));
  const redactedAt = text.safeParse(row.redaction?.redactedAt ?? null).data ?? null;
  return { entry: { ...row, ...replaced }, changes: changes ?? {}, isDamaged: unreadable.length > 0, redactedAt };
}

/** Logs each damaged entry for the operator. */
export function entryReader(log: Log): (row: StoredEntry) => DisplayableEntry {
  return (row) => {
    const displayable = toDisplayable(row);
    const { workspace, seq, _id: id } = row;
    if (displayable.isDamaged) log.error({ workspace, seq, id }, 'damaged audit entry');
    return displayable;
  };
}

/** An entry of an earlier version has the name of the token as that of the actor. */
const tokenOf = ({ token, token_id: id, name }: Actor): AuditEntryBody['actor']['token'] =>
  token ?? (id === null ? null : { id, name });

export function presentEntry({ entry, changes, isDamaged, redactedAt }: DisplayableEntry): AuditEntryBody {
  const content = entryContent(entry);
  const shown = {
    ...content,
    actor: { ...content.actor, token: tokenOf(entry.actor) },
    changes,
    ...(redactedAt !== null && { redacted: true as const }),
  };
  return isDamaged ? { ...shown, damaged: true } : shown;
}
