import type { RecordConversionBody } from '@waymark/contract/conversions';
import type { RawScan } from '@waymark/contract/events';
import { isBot } from './audience.js';

const MINUTE_MS = 60_000;
const BOUGHT_AFTER_MINUTES = [4, 7, 12, 19];

interface Sales {
  source: string;
  /** One of so many scans ends with a sale. */
  scansPerSale: number;
  values: number[];
}

/** By the short code of the link. */
const SALES: Readonly<Record<string, Sales>> = {
  tickets: { source: 'shop', scansPerSale: 10, values: [48, 24, 48, 96, 72] },
  opening: { source: 'shop', scansPerSale: 18, values: [36, 72, 36] },
  'early-bird': { source: 'shop', scansPerSale: 9, values: [38, 19, 38] },
  shop: { source: 'merchandise', scansPerSale: 8, values: [18.5, 32, 12.9] },
};

/** Returns what visitors bought, a few minutes after their scans. The same sale has the same `external_id`, and counts once. */
export function exampleConversions(scans: readonly RawScan[], end: Date): RecordConversionBody[] {
  return Object.entries(SALES).flatMap(([code, { source, scansPerSale, values }]) => {
    const visits = scans.filter((scan) => scan.short_code === code && !isBot(scan));
    return visits
      .filter((_scan, index) => index % scansPerSale === 0)
      .map(({ link_id: id, at }, number) => ({
        id,
        source,
        external_id: `${code}-${number + 1}`,
        value: values[number % values.length]!,
        currency: 'EUR',
        occurred_at: occurredAt(at, number, end),
      }));
  });
}

function occurredAt(scannedAt: string, number: number, end: Date): string {
  const minutes = BOUGHT_AFTER_MINUTES[number % BOUGHT_AFTER_MINUTES.length]!;
  return new Date(Math.min(Date.parse(scannedAt) + minutes * MINUTE_MS, end.getTime())).toISOString();
}
