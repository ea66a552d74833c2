import type { QrSummaryBody, SummaryBody } from '@waymark/shared/contract/analytics';

/** The QR deployment has no conversions, and counts QR codes. */
export function presentQrSummary({ data, meta }: SummaryBody): QrSummaryBody {
  const { conversions: _, conversion_rate: __, active_links: activeQrCodes, ...kpis } = data.kpis;
  const { link_id: qrCodeId, trigger: ___, ...filters } = meta.filters;
  return {
    data: {
      kpis: { ...kpis, active_qr_codes: activeQrCodes },
      trend: data.trend.map(({ conversions: _conversions, ...day }) => day),
      devices: data.devices,
    },
    meta: { ...meta, filters: { qr_code_id: qrCodeId, ...filters } },
  };
}
