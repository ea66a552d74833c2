import { z } from 'zod';
import type { AuditEntryBody } from '@waymark/contract/audit-logs';
import { auditChanges, auditTarget } from '@waymark/contract/event';
import { actor, SYSTEM_ACTOR } from '@waymark/contract/identity';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkedEntry } from '../chain/chain.js';
import { entryContent } from '../chain/entry.js';
import type { StoredEntry } from '../entries/entry-store.js';

/** An entry that can be shown, even if its row in the database was tampered with. */
export interface DisplayableEntry {
  entry: LinkedEntry;
  changes: AuditEntryBody['changes'];
  /** Some fields could not be read and have replacement values. */
  isDamaged: boolean;
  /** When personal data of an erased user was removed. */
  redactedAt: string | null;
}

/** Deeper than any recorded change; JSON.stringify fails on very deep nesting. */
const NESTING_MAX = 100;

const text = z.string().nullable();
/** All but `changes`, which is parsed. */
const FIELDS = {
  _id: z.string(),
  workspace: z.string(),
  action: z.string(),
  actor,
  target: auditTarget.nullable(),
  ipAddress: text,
  requestId: text,
  createdAt: z.date(),
  seq: z.number(),
  previousHash: z.string(),
  hash: z.string(),
} satisfies Record<Exclude<keyof LinkedEntry, 'changes'>, z.ZodType>;

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
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  const unreadable: (keyof LinkedEntry)[] = names.filter((name) => !FIELDS[name].safeParse(row[name]).success);
  if (changes === null) unreadable.push('changes');
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

function readChanges(json: unknown): AuditEntryBody['changes'] | null {
  if (typeof json !== 'string') return null;
  try {
    const changes: unknown = JSON.parse(json);
    const isReadable = isNestedAtMost(NESTING_MAX, changes) && auditChanges.safeParse(changes).success;
    return isReadable ? (changes as AuditEntryBody['changes']) : null;
  } catch {
    return null;
  }
}

function isNestedAtMost(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedAtMost(levels - 1, inner));
}

export function presentEntry({ entry, changes, isDamaged, redactedAt }: DisplayableEntry): AuditEntryBody {
  const shown = {
    ...entryContent(entry),
    changes,
    ...(redactedAt !== null && { redacted: true as const }),
  };
  return isDamaged ? { ...shown, damaged: true } : shown;
}
