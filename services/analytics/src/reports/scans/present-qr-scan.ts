import type { QrScanRow, ScanRow } from '@waymark/contract/analytics';

/** The QR deployment calls links QR codes, and every scan of it is of a QR code. */
export function presentQrScan(scan: ScanRow): QrScanRow {
  const { link_id: qrCodeId, trigger: _, ...row } = scan;
  return { qr_code_id: qrCodeId, ...row };
}
