import type { LinkSnapshot } from '@waymark/contract/events';
import { NONE } from '../warehouse/query/scan-query.js';

/** The copy of a link; a deleted one is kept, so that an older event cannot restore it. */
export interface Link {
  _id: string;
  workspace: string;
  shortCode: string;
  /** Its former codes in lower case, which still lead to it. Copies from older events lack them. */
  formerKeys?: string[];
  title: string | null;
  campaign: string | null;
  status: 'active' | 'archived' | 'deleted';
  revision: number;
  /** `null` is the default short host. All three are absent until the owner has sent them; see `completeLinks`. */
  domainId?: string | null;
  folderId?: string | null;
  tagIds?: string[];
  /** Incremented with each change; the warehouse keeps the latest version. */
  version: number;
  /**
   * The next step: ask the owner for absent fields, or load the latest version into the warehouse; absent when both are
   * done. The warehouse has refused a `refused` version: it waits for a later one, or for an operator.
   */
  next?: 'ask' | 'load' | 'refused';
  /** The error of the warehouse that has refused this version. */
  refusal?: string;
  lastScannedAt?: Date;
  /** When `lastScannedAt` was stored, by the database's clock: scans may arrive late. */
  notedAt?: Date;
}

/** The fields of a link that come from an event or from the owner. */
export type ReceivedLink = Omit<Link, 'version' | 'refusal' | 'lastScannedAt' | 'notedAt'>;

export function receivedLink(workspace: string, snapshot: LinkSnapshot): ReceivedLink {
  const { domain_id: domainId, folder_id: folderId, tag_ids: tagIds } = snapshot;
  return {
    _id: snapshot.id,
    workspace,
    shortCode: snapshot.short_code,
    formerKeys: (snapshot.former_codes ?? []).map((place) => place.short_code.toLowerCase()),
    title: snapshot.title,
    campaign: snapshot.campaign_tag,
    status: snapshot.status,
    revision: snapshot.revision,
    domainId,
    folderId,
    tagIds: tagIds && [...new Set(tagIds)],
    next: tagIds ? 'load' : 'ask',
  };
}

/** Returns the row of a link in the table of links. */
export function linkRow({ _id: id, workspace, domainId, folderId, tagIds, version }: Link) {
  const tags = tagIds?.length ? tagIds : [NONE];
  return { workspace, id, domain: domainId ?? NONE, folder: folderId ?? NONE, tags, version };
}
