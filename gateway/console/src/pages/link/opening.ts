import type { Link } from '../../api/links.js';
import { formatNumber } from '../../format/format.js';
import { formatPoint } from '../../format/points-in-time.js';
import { visits } from '../../messages/visits.js';

const words = visits.when;

export interface Opening {
  /** In milliseconds. */
  startsAt: number | undefined;
  expiresAt: number | undefined;
  maxScans: number | undefined;
}

/** Says in one sentence when visitors are redirected. */
export function describeOpening({ startsAt, expiresAt, maxScans }: Opening, link: Link, now: number): string {
  if (link.availability === 'blocked') return words.blocked;
  if (link.status === 'archived') return words.archived;
  if (expiresAt !== undefined && expiresAt <= now) return words.closedSince(formatPoint(expiresAt, now));
  if (maxScans !== undefined && link.scans_count >= maxScans) return words.usedUp(scansOf(maxScans));
  const isOpen = startsAt === undefined || startsAt <= now;
  if (isOpen && expiresAt === undefined && maxScans === undefined) return words.always;
  const first = isOpen ? words.open : words.opens(formatPoint(startsAt, now));
  const time = expiresAt === undefined ? undefined : formatPoint(expiresAt, now);
  return [first, describeEnd(time, maxScans, link.scans_count)].filter(Boolean).join(', ');
}

function describeEnd(time: string | undefined, maxScans: number | undefined, used: number): string {
  if (maxScans === undefined) return time === undefined ? '' : words.closes(time);
  const scans = used === 0 ? scansOf(maxScans) : words.scansSoFar(scansOf(maxScans), formatNumber(used));
  return time === undefined ? words.closesAfter(scans) : words.closesFirst(time, scans);
}

const scansOf = (count: number): string => words.scans(count, formatNumber(count));
