import { UNKNOWN_LANGUAGE } from '@waymark/visitors/language';
import type { Scan } from './scan.js';
import { FIRST_VERSION, wellFormed, type LoadedTable } from '../warehouse/loaded-table.js';

const COLUMNS = [
  'workspace',
  'at',
  'link_id',
  'id',
  'short_code',
  'trigger',
  'country',
  'region',
  'city',
  'device',
  'browser',
  'os',
  'referrer',
  'campaign',
  'visitor_hex',
  'is_unique',
  'is_bot',
  'version',
  'language',
] as const;

const VISITOR_BYTES = 16;

export const SCANS_TABLE: LoadedTable<Scan> = {
  name: 'scans',
  columns: COLUMNS,
  layout: 2,
  valuesOf,
  timeOf: ({ scannedAt }) => scannedAt,
  linkScanOf: ({ linkId, scannedAt }) => ({ linkId, at: scannedAt }),
};

function valuesOf(scan: Scan): unknown[] {
  return [
    scan.workspace,
    scan.scannedAt.getTime(),
    scan.linkId,
    scan._id,
    scan.shortCode,
    scan.trigger,
    wellFormed(scan.country),
    wellFormed(scan.region),
    wellFormed(scan.city),
    scan.device,
    wellFormed(scan.browser),
    wellFormed(scan.os),
    wellFormed(scan.referrer),
    wellFormed(scan.campaign),
    visitorHex(scan.visitor),
    scan.isUnique,
    scan.isBot,
    scan.version ?? FIRST_VERSION,
    scan.language ?? UNKNOWN_LANGUAGE,
  ];
}

/** Returns 128 of the 132 bits of the daily pseudonym; empty, which becomes zero bytes, for an unknown visitor. */
export function visitorHex(visitor: string | null): string {
  return visitor === null ? '' : Buffer.from(visitor, 'base64url').subarray(0, VISITOR_BYTES).toString('hex');
}
