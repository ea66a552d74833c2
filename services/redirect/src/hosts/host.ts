import { isServing } from '@waymark/contract/domains';
import type { Event } from '@waymark/contract/event';
import { domainDeleted, type DomainSnapshot } from '@waymark/contract/events';
import { entryOf, type Entry, type ReadModelRecord } from '../read-model/definition.js';
import { safeLocation } from '../destinations/destination.js';

/** One custom domain; it is gone when it serves nothing. The key is its hostname. */
export interface HostRecord extends ReadModelRecord {
  notFoundUrl: string | null;
}

export interface Host extends Entry {
  /** Where visitors of codes that do not exist are sent; `null` if they get a 404. */
  fallback: string | null;
}

export function toHostRecord(
  workspace: string,
  domain: DomainSnapshot,
  { changedAt, isDeleted }: { changedAt: Date; isDeleted: boolean },
): HostRecord {
  return {
    id: domain.id,
    key: domain.hostname,
    aliases: [],
    revision: domain.revision,
    workspace,
    notFoundUrl: domain.not_found_url,
    isGone: isDeleted || !isServing(domain.status),
    changedAt,
  };
}

/** Returns the record of an event of DOMAIN_EVENTS; `undefined` without a workspace, which no domain event lacks. */
export function hostRecordOf(event: Event<{ domain: DomainSnapshot }>): HostRecord | undefined {
  if (event.workspace === null) return undefined;
  const state = { changedAt: new Date(event.occurred_at), isDeleted: event.type === domainDeleted.type };
  return toHostRecord(event.workspace, event.data.domain, state);
}

export function toHost(record: HostRecord): Host {
  const fallback = record.notFoundUrl === null ? null : (safeLocation(record.notFoundUrl) ?? null);
  return { ...entryOf(record, fallback?.length ?? 0), fallback };
}
