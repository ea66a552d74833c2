import type { LinkStatus } from '@waymark/contract/links';

/** How far the end of a link has been announced by an event. */
export interface EndFields {
  /** Its scans have reached `maxScans`. */
  isUsedUp: boolean;
  /** When its end is to be announced; `null` while no end is due. */
  endDueAt: Date | null;
  /** Its end has been announced, and it has not been opened again since. */
  isEndAnnounced: boolean;
}

interface EndingLink {
  status: LinkStatus;
  expiresAt: Date | null;
  maxScans: number | null;
  scansCount: number;
  isEndAnnounced: boolean;
}

/** Returns the fields after a change: a link that is open again, or for longer, announces its next end. */
export function endFieldsOf(link: EndingLink, now: Date): EndFields {
  const { status, expiresAt, maxScans, scansCount } = link;
  const isUsedUp = maxScans !== null && scansCount >= maxScans;
  const hasEnded = isUsedUp || (expiresAt !== null && expiresAt <= now);
  const isEndAnnounced = hasEnded && link.isEndAnnounced;
  const isDue = status === 'active' && !isEndAnnounced;
  return { isUsedUp, isEndAnnounced, endDueAt: isDue ? (hasEnded ? now : expiresAt) : null };
}
