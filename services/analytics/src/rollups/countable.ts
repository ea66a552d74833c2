import type { Scan } from '../scans/scan.js';
import { DAY_MS } from '../time/utc-day.js';

/** All of a scan that it is counted by. */
export type Countable = Omit<Scan, 'batch' | 'shortCode' | 'isUnique' | 'botReason'>;

type Packed = ReturnType<typeof packed>;

/** The number of the UTC day, from 1970-01-01. */
export const utcDayOf = ({ scannedAt }: Pick<Scan, 'scannedAt'>): number => Math.floor(scannedAt.getTime() / DAY_MS);

/** Many scans as one value, without the names of their fields: written and read in a fraction of the time that rows take. */
export function pack(scans: readonly Countable[]): string {
  return JSON.stringify(scans.map(packed));
}

export function unpack(text: string): Countable[] {
  return (JSON.parse(text) as Packed[]).map(unpacked);
}

function packed(scan: Countable) {
  const { _id, workspace, linkId, scannedAt, campaign, trigger, visitor, isBot } = scan;
  const { country, region, city, device, browser, os, referrer } = scan;
  const what = [_id, workspace, linkId, scannedAt.getTime(), campaign, trigger, visitor, isBot] as const;
  return [what, [country, region, city, device, browser, os, referrer]] as const;
}

function unpacked([what, values]: Packed): Countable {
  const [_id, workspace, linkId, at, campaign, trigger, visitor, isBot] = what;
  const [country, region, city, device, browser, os, referrer] = values;
  const scannedAt = new Date(at);
  // Not spread from two: that takes ten times as long, for every scan there is.
  // prettier-ignore
  return {
    _id, workspace, linkId, scannedAt, campaign, trigger, visitor, isBot,
    country, region, city, device, browser, os, referrer,
  };
}
