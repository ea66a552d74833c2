import { z } from 'zod';
import type { AuditEntryBody } from '@waymark/contract/audit-logs';
import { auditChanges, auditTarget } from '@waymark/contract/event';
import { actor } from '@waymark/contract/identity';
import type { Entry } from '../chain/entry.js';

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
} satisfies Record<Exclude<keyof Entry, 'changes'>, z.ZodType>;

/** Returns the fields that the service cannot read, except `changes`: the row was changed in the database. */
export function unreadableFields(row: Entry): (keyof typeof FIELDS)[] {
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  return names.filter((name) => !FIELDS[name].safeParse(row[name]).success);
}

/** @returns `null` for changes that the service cannot read */
export function readChanges(json: unknown): AuditEntryBody['changes'] | null {
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
