import type { AuditEntry } from '../../api/audit.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { nameOf } from '../links/catalogue.js';

export interface ReadableChange {
  name: string;
  /** Absent for none. */
  from?: string | undefined;
  to?: string | undefined;
}
type Changes = NonNullable<AuditEntry['changes']>;

/** Returns the changed fields as words; a creation, which changes every field from nothing, and a status have none. */
export function readChanges(action: string, changes: Changes): ReadableChange[] {
  if (action === 'created' || action === 'deleted') return [];
  return flattenChanges(
    Object.fromEntries(Object.entries(changes).filter(([field]) => field !== 'status' || action === 'updated')),
  );
}

/** Returns the changed fields as words, without those that were and stay empty. */
export const flattenChanges = (changes: Changes): ReadableChange[] =>
  Object.entries(changes)
    .flatMap(([field, { from, to }]) => readField(field, from, to))
    .filter(({ from, to }) => from !== to);

/** A field that holds others is split into them. */
function readField(field: string, from: unknown, to: unknown): ReadableChange[] {
  if (!isGroup(from) && !isGroup(to)) {
    return [{ name: t.link.fields[field] ?? field, from: textOf(field, from), to: textOf(field, to) }];
  }
  const [before, after] = [from ?? {}, to ?? {}] as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((part) => before[part] !== after[part])
    .flatMap((part) => readField(part, before[part], after[part]));
}

const TIMES: readonly string[] = ['starts_at', 'expires_at', 'at'];

const isGroup = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(field: string, value: unknown): string | undefined {
  const isEmpty = value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return undefined;
  return Array.isArray(value)
    ? value.map((each) => wordOf(field, String(each))).join(', ')
    : wordOf(field, typeof value === 'string' ? value : JSON.stringify(value));
}

function wordOf(field: string, value: string): string {
  if (field === 'tag_ids') return nameOf('tags', value);
  if (field === 'folder_id') return nameOf('folders', value);
  if (TIMES.includes(field) && !Number.isNaN(Date.parse(value))) return formatMoment(value);
  if (field === 'logo_url') return t.link.qr.picture;
  return t.link.values[field]?.[value] ?? value;
}
