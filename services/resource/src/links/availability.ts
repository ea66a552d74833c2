import type { LinkStatus } from '@waymark/contract/links';
import type { Availability } from '@waymark/contract/visit-fields';

interface Opening {
  blocked?: object | null;
  status: LinkStatus;
  startsAt: Date | null;
  expiresAt: Date | null;
  isUsedUp: boolean;
}

/** Returns what visitors of the link get at this time. The redirect decides in the same order. */
export function availabilityOf({ blocked, status, startsAt, expiresAt, isUsedUp }: Opening, now: Date): Availability {
  if (blocked) return 'blocked';
  if (status === 'archived') return 'archived';
  if (startsAt !== null && now < startsAt) return 'scheduled';
  if (expiresAt !== null && now >= expiresAt) return 'expired';
  return isUsedUp ? 'used_up' : 'available';
}

/** The conditions of a query for links that are so at this time. */
export function whereAvailability(availability: Availability, now: Date): object {
  if (availability === 'blocked') return { blocked: { $ne: null } };
  if (availability === 'archived') return { status: 'archived', blocked: null };
  const active = { status: 'active', blocked: null };
  const isScheduled = { startsAt: { $gt: now } };
  const isExpired = { expiresAt: { $lte: now } };
  switch (availability) {
    case 'scheduled':
      return { ...active, ...isScheduled };
    case 'expired':
      return { ...active, ...isExpired };
    case 'used_up':
      return { ...active, isUsedUp: true, $nor: [isScheduled, isExpired] };
    case 'available':
      return { ...active, isUsedUp: { $ne: true }, $nor: [isScheduled, isExpired] };
  }
}
