import type { QrSummaryBody, SummaryBody } from '@waymark/contract/analytics';
import { qrFilters } from '../selection/selection.js';

/** The QR deployment has no conversions, and counts QR codes. */
export function presentQrSummary({ data, meta }: SummaryBody): QrSummaryBody {
  const { currencies_truncated: _, ...qrMeta } = meta;
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
    meta: { ...qrMeta, filters: qrFilters(meta.filters) },
  };
}

type ConversionFigure = 'conversions' | 'conversion_rate' | 'conversion_values';

function withoutConversions<T extends { conversions: unknown }>(figures: T): Omit<T, ConversionFigure> {
  const {
    conversions: _,
    conversion_rate: __,
    conversion_values: ___,
    ...others
  } = figures as T & Partial<Record<ConversionFigure, unknown>>;
  return others;
}
