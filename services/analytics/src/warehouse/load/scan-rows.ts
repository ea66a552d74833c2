import type { Scan } from '../../scans/scan.js';

/** The order of the values in a row of `encodeScans`. */
export const SCAN_COLUMNS = [
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
] as const;

/** The layout of the rows; a pending batch of another one is not loaded by this version. */
export const SCAN_LAYOUT = 1;
/** A row that replaces another has a higher version. */
const FIRST_VERSION = 1;
const VISITOR_BYTES = 16;

/** The scans as ClickHouse reads them (JSONCompactEachRow), one on each line: the loader passes the text on as it is. */
export function encodeScans(scans: readonly Scan[]): string {
  return scans.map((scan) => `${JSON.stringify(valuesOf(scan))}\n`).join('');
}

/** The workspace of each row, for rows that have to be told apart. */
export function workspaceOfRow(row: string): string {
  return (JSON.parse(row) as [string])[0];
}

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
    scan.campaign === null ? null : wellFormed(scan.campaign),
    visitorHex(scan.visitor),
    scan.isUnique,
    scan.isBot,
    FIRST_VERSION,
  ];
}

/** Half of a surrogate pair is no text to ClickHouse, which would refuse the whole batch. */
const wellFormed = (text: string): string => text.toWellFormed();

/** 128 of the 132 bits of the daily pseudonym; empty, which becomes zero bytes, where the visitor is not known. */
export function visitorHex(visitor: string | null): string {
  return visitor === null ? '' : Buffer.from(visitor, 'base64url').subarray(0, VISITOR_BYTES).toString('hex');
}
