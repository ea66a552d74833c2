import type { Scan } from '../scans/scan.js';

/** All of a scan that it is counted by. */
export type Countable = Omit<Scan, 'batch' | 'shortCode' | 'isUnique' | 'botReason'>;

/** Many scans as one value: written and read in a fraction of the time that rows take. */
export function pack(scans: readonly Scan[]): string {
  return JSON.stringify(
    scans.map(({ batch: _, shortCode: __, isUnique: ___, botReason: ____, ...countable }) => countable),
  );
}

export function unpack(text: string): Countable[] {
  const scans = JSON.parse(text) as (Omit<Countable, 'scannedAt'> & { scannedAt: string })[];
  return scans.map((scan) => ({ ...scan, scannedAt: new Date(scan.scannedAt) }));
}
