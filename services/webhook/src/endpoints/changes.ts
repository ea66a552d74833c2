import { isDeepStrictEqual } from 'node:util';
import type { AuditChanges } from '@waymark/shared/contract/event';
import type { Endpoint } from './endpoint.js';

/** Wire names of what a person can change. */
const AUDITED = {
  url: 'url',
  description: 'description',
  event_types: 'eventTypes',
  enabled: 'enabled',
} as const satisfies Record<string, keyof Endpoint>;

/** What the audit log shows of a change; from nothing when the endpoint is new. */
export function changesBetween(before: Endpoint | null, after: Endpoint): AuditChanges {
  const changes: AuditChanges = {};
  for (const [name, field] of Object.entries(AUDITED)) {
    const from = before?.[field] ?? null;
    const to = after[field];
    if (!isDeepStrictEqual(from, to)) changes[name] = { from, to };
  }
  return changes;
}
