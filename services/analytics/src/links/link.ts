import type { LinkSnapshot } from '@waymark/shared/contract/events';

/** What analytics needs to know of a link; a deleted one stays, so that an older event cannot bring it back. */
export interface Link {
  _id: string;
  workspace: string;
  shortCode: string;
  /** Codes that it had before, in lower case: they still lead to it. A copy made from older events lacks them. */
  formerKeys?: string[];
  title: string | null;
  campaign: string | null;
  status: 'active' | 'archived' | 'deleted';
  revision: number;
  /** `null` is the default short host. All three are absent while the owner has not told them; see `completeLinks`. */
  domainId?: string | null;
  folderId?: string | null;
  tagIds?: string[];
  /** Grows with each change; the warehouse keeps the latest version. */
  version: number;
  /** Ask the owner what is absent, or load the latest version into the warehouse; absent when both are done. */
  next?: 'ask' | 'load';
  lastScannedAt?: Date;
  /** When `lastScannedAt` was stored, by the database's clock: scans may arrive late. */
  notedAt?: Date;
}

/** What an event or the owner tells of a link. */
export type ToldLink = Omit<Link, 'version' | 'lastScannedAt' | 'notedAt'>;

export function linkOf(workspace: string, snapshot: LinkSnapshot): ToldLink {
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
