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
  lastScannedAt?: Date;
  /** When `lastScannedAt` was stored, by the database's clock: scans may arrive late. */
  notedAt?: Date;
}

export function linkOf(workspace: string, snapshot: LinkSnapshot): Link {
  return {
    _id: snapshot.id,
    workspace,
    shortCode: snapshot.short_code,
    formerKeys: (snapshot.former_codes ?? []).map((place) => place.short_code.toLowerCase()),
    title: snapshot.title,
    campaign: snapshot.campaign_tag,
    status: snapshot.status,
    revision: snapshot.revision,
  };
}
