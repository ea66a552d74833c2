import { safeLocation } from '../destinations/destination.js';
import type { TargetRecord } from './target-record.js';

/** When a link redirects visitors. */
export interface Opening {
  /** In milliseconds; `-Infinity` and `Infinity` where there is none. */
  startsAt: number;
  expiresAt: number;
  /** Scans by people; `Infinity` where there is no limit. */
  scansMax: number;
  /** Those that are known here: see `ScanCounter`. */
  scansCount: number;
  /** Where visitors are sent after its end; `null` for none of its own. */
  expired: string | null;
}

type OpeningFields = Pick<TargetRecord, 'startsAt' | 'expiresAt' | 'expiredUrl' | 'maxScans' | 'scansCount'>;

/**
 * Returns `null` for a link that always redirects, as most do.
 * @param before the opening in memory, whose count may be ahead of the stored one
 */
export function openingOf(record: OpeningFields, before: Opening | null | undefined): Opening | null {
  const { startsAt = null, expiresAt = null, expiredUrl = null, maxScans = null, scansCount = 0 } = record;
  if (startsAt === null && expiresAt === null && maxScans === null) return null;
  return {
    startsAt: startsAt?.getTime() ?? -Infinity,
    expiresAt: expiresAt?.getTime() ?? Infinity,
    scansMax: maxScans ?? Infinity,
    scansCount: Math.max(scansCount, before?.scansCount ?? 0),
    expired: expiredUrl === null ? null : (safeLocation(expiredUrl) ?? null),
  };
}

export type Closed = 'scheduled' | 'expired' | 'used_up';

/** Returns why a link does not redirect at this time, or `null` if it does. @param now in milliseconds */
export function closedBecause({ startsAt, expiresAt, scansMax, scansCount }: Opening, now: number): Closed | null {
  if (now < startsAt) return 'scheduled';
  if (now >= expiresAt) return 'expired';
  return scansCount >= scansMax ? 'used_up' : null;
}
