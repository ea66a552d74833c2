import type { Device } from '@waymark/shared/contract/analytics';
import type { Scan } from '../scans/scan.js';

/** What a scan is counted by. */
export interface Traits {
  linkId: string;
  campaign: string | null;
  campaignId: number;
  trigger: Scan['trigger'];
  isBot: boolean;
  device: Device;
  /** Ids of the values, in the order of the dimensions. */
  values: number[];
}

export interface CountedScan extends Traits {
  visitor: string | null;
  quarter: number;
}

/** One way in which a visitor appeared on a UTC day, from the first to the last quarter-hour in which they did. */
export interface Appearance extends Traits {
  first: number;
  last: number;
}
