import { z } from 'zod';
import { auditChanges, auditTarget } from '@waymark/contract/event';
import { actor, SYSTEM_ACTOR } from '@waymark/contract/identity';
import type { Log } from '@waymark/kernel/process/log';
import type { LinkedEntry } from './chain.js';

/** An entry that can be shown, even if its row in the database was tampered with. */
export interface Legible {
  entry: LinkedEntry;
  /** Some fields could not be read and have replacement values. */
  isDamaged: boolean;
}

/** Deeper than any recorded change; JSON.stringify fails on very deep nesting. */
const LEVELS_MAX = 100;

const text = z.string().nullable();
const FIELDS = {
  _id: z.string(),
  workspace: z.string(),
  action: z.string(),
  actor,
  target: auditTarget.nullable(),
  changes: z.string().refine(areChanges),
  ipAddress: text,
  requestId: text,
  createdAt: z.date(),
  seq: z.number(),
  previousHash: z.string(),
  hash: z.string(),
} satisfies Record<keyof LinkedEntry, z.ZodType>;

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

function legible(row: LinkedEntry): Legible {
  const names = Object.keys(FIELDS) as (keyof LinkedEntry)[];
  const unreadable = names.filter((name) => !FIELDS[name].safeParse(row[name]).success);
  const replaced = Object.fromEntries(unreadable.map((name) => [name, REPLACEMENT[name]]));
  return { entry: { ...row, ...replaced }, isDamaged: unreadable.length > 0 };
}

/** Logs each damaged entry for the operator. */
export function reader(log: Log): (row: LinkedEntry) => Legible {
  return (row) => {
    const read = legible(row);
    const { workspace, seq, _id: id } = row;
    if (read.isDamaged) log.error({ workspace, seq, id }, 'damaged audit entry');
    return read;
  };
}

function areChanges(json: string): boolean {
  try {
    const changes: unknown = JSON.parse(json);
    return isNestedAtMost(LEVELS_MAX, changes) && auditChanges.safeParse(changes).success;
  } catch {
    return false;
  }
}

function isNestedAtMost(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isNestedAtMost(levels - 1, inner));
}
