import { isDeepStrictEqual } from 'node:util';
import type { AuditChanges } from './event.js';

/**
 * Returns the changed fields for the audit log; every field changes from `null` on creation and to `null` on deletion.
 * @param names wire name to field, for each field that a person can change
 */
export function changesBetween<T>(
  names: Readonly<Record<string, keyof T>>,
  before: T | null,
  after: T | null,
): AuditChanges {
  const changes: AuditChanges = {};
  for (const [name, field] of Object.entries(names)) {
    const from = before?.[field] ?? null;
    const newValue = after?.[field] ?? null;
    if (!isDeepStrictEqual(from, newValue)) changes[name] = { from, to: newValue };
  }
  return changes;
}
