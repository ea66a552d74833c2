import type {
  Dimension,
  QrDimension,
  QrScanRow,
  QrSummaryBody,
  ScanRow,
  SummaryBody,
} from '@waymark/contract/analytics';
import { qrFilters } from './selection/selection.js';

const LINK_OF = 'qr_code' satisfies QrDimension;

/** The QR deployment calls links QR codes. */
export const linkDimension = (name: QrDimension): Dimension => (name === LINK_OF ? 'link' : name);
export const qrDimension = (name: string): string => (name === 'link' ? LINK_OF : name);

/** The QR deployment calls links QR codes, and every scan of it is of a QR code. */
export function presentQrScan(scan: ScanRow): QrScanRow {
  const { link_id: qrCodeId, trigger: _, ...row } = scan;
  return { qr_code_id: qrCodeId, ...row };
}

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
