import type { LinkSnapshot } from '@waymark/shared/contract/events';

/** What analytics needs to know of a link; a deleted one stays, so that an older event cannot bring it back. */
export interface Link {
  _id: string;
  workspace: string;
  shortCode: string;
  /** Lower case: codes are unique in a workspace without regard to case. */
  codeKey: string;
  /** Codes that it had before, likewise: they still lead to it. A copy made from older events lacks them. */
  formerKeys?: string[];
  shortUrl: string;
  title: string | null;
  campaign: string | null;
  status: 'active' | 'archived' | 'deleted';
  revision: number;
  lastScannedAt?: Date;
}

export const codeKey = (shortCode: string): string => shortCode.toLowerCase();

export function linkOf(workspace: string, snapshot: LinkSnapshot): Link {
  return {
    _id: snapshot.id,
    workspace,
    shortCode: snapshot.short_code,
    codeKey: codeKey(snapshot.short_code),
    formerKeys: (snapshot.former_codes ?? []).map((place) => codeKey(place.short_code)),
    shortUrl: snapshot.short_url,
    title: snapshot.title,
    campaign: snapshot.campaign_tag,
    status: snapshot.status,
    revision: snapshot.revision,
  };
}
