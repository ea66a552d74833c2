import type { QrSummaryBody, SummaryBody } from '@waymark/contract/analytics';
import { qrFilters } from '../selection/selection.js';

/** The QR deployment has no conversions, and counts QR codes. */
export function presentQrSummary({ data, meta }: SummaryBody): QrSummaryBody {
  const { active_links: activeQrCodes, previous, ...kpis } = data.kpis;
  return {
    data: {
      kpis: {
        ...withoutConversions(kpis),
        active_qr_codes: activeQrCodes,
        ...(previous && { previous: withoutConversions(previous) }),
      },
      trend: data.trend.map(({ previous: earlier, ...point }) => ({
        ...withoutConversions(point),
        ...(earlier !== undefined && { previous: earlier && withoutConversions(earlier) }),
      })),
      devices: data.devices,
    },
    meta: { ...meta, filters: qrFilters(meta.filters) },
  };
}

function withoutConversions<T extends { conversions: unknown }>(
  figures: T,
): Omit<T, 'conversions' | 'conversion_rate'> {
  const { conversions: _, conversion_rate: __, ...others } = figures as T & { conversion_rate?: unknown };
  return others;
}
