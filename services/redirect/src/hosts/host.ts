import { isServing } from '@waymark/contract/domains';
import type { Event } from '@waymark/contract/event';
import { domainDeleted, type DomainSnapshot } from '@waymark/contract/events';
import { entryOf, type Entry, type ReadModelRecord } from '../read-model/definition.js';
import { safeLocation } from '../destinations/destination.js';

/** One custom domain; it is gone when it serves nothing. The key is its hostname. */
export interface HostRecord extends ReadModelRecord {
  notFoundUrl: string | null;
  /** Absent, as are the fields below, in rows stored before domains had them. */
  rootUrl?: string | null;
  expiredUrl?: string | null;
  isIndexable?: boolean;
  /** JSON text. */
  appleAppSiteAssociation?: string | null;
  assetlinks?: string | null;
}

/** What a short host answers beside its links. */
export interface HostSettings {
  /** Where visitors of the bare host are sent; `null` if they are sent to the fallback. */
  root: string | null;
  /** Where visitors of codes that do not exist are sent; `null` if they get a 404. */
  fallback: string | null;
  /** Where visitors of links that have ended are sent; `null` if they get a 410. */
  expired: string | null;
  /** Whether search engines may index its redirects. */
  isIndexable: boolean;
  appleAppSiteAssociation: Buffer | null;
  assetlinks: Buffer | null;
}

export interface Host extends Entry, HostSettings {}

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
    rootUrl: domain.root_url,
    notFoundUrl: domain.not_found_url,
    expiredUrl: domain.expired_url,
    isIndexable: domain.indexable,
    appleAppSiteAssociation: domain.apple_app_site_association,
    assetlinks: domain.assetlinks,
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
  const settings = toHostSettings(record);
  const { root, fallback, expired, appleAppSiteAssociation, assetlinks } = settings;
  const texts = [root, fallback, expired, appleAppSiteAssociation, assetlinks];
  const bytes = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return { ...entryOf(record, bytes), ...settings };
}

type StoredSettings = Omit<HostRecord, keyof ReadModelRecord>;

export function toHostSettings(stored: Partial<StoredSettings>): HostSettings {
  return {
    root: locationOf(stored.rootUrl),
    fallback: locationOf(stored.notFoundUrl),
    expired: locationOf(stored.expiredUrl),
    isIndexable: stored.isIndexable ?? false,
    appleAppSiteAssociation: bytesOf(stored.appleAppSiteAssociation),
    assetlinks: bytesOf(stored.assetlinks),
  };
}

const locationOf = (url: string | null = null): string | null => (url === null ? null : (safeLocation(url) ?? null));
const bytesOf = (text: string | null = null): Buffer | null => (text === null ? null : Buffer.from(text));

/** A name that is no host of links. */
export const NO_HOST: HostSettings = toHostSettings({});
