import type { Device, LoggedScanRow, QrScanRow, ScanRow } from '@waymark/shared/contract/analytics';
import type { BotReason } from '../enrichment/bot.js';

/** A scan as it is stored: all that is known of it, and nothing of the visitor but a daily pseudonym. */
export interface Scan {
  _id: string;
  /** Id of the message it came in. */
  batch: string;
  workspace: string;
  linkId: string;
  shortCode: string;
  scannedAt: Date;
  trigger: 'link' | 'qr';
  country: string;
  region: string;
  city: string;
  device: Device;
  browser: string;
  os: string;
  /** Absent in a scan that 0.1.0 has stored. */
  language?: string;
  referrer: string;
  campaign: string | null;
  /** `null` when the salt of its day was already destroyed. */
  visitor: string | null;
  /** The first of its link and UTC day by this visitor. */
  isUnique: boolean;
  isBot: boolean;
  botReason: BotReason | null;
  /** See `agentFamily`; absent in a scan that 0.1.0 has stored. */
  agent?: string;
  /** What else tells a bot; absent where it is false. */
  prefetch?: boolean;
  /** Of its row in the warehouse; absent in the first one. */
  version?: number;
}

export function presentScan(scan: Scan): LoggedScanRow {
  return {
    id: scan._id,
    link_id: scan.linkId,
    short_code: scan.shortCode,
    scanned_at: scan.scannedAt.toISOString(),
    trigger: scan.trigger,
    country: scan.country,
    region: scan.region,
    city: scan.city,
    device: scan.device,
    browser: scan.browser,
    os: scan.os,
    referrer: scan.referrer,
    campaign: scan.campaign,
    is_unique: scan.isUnique,
    is_bot: scan.isBot,
  };
}

export function presentQrScan(scan: ScanRow): QrScanRow {
  const { link_id: qrCodeId, trigger: _, ...row } = scan;
  return { qr_code_id: qrCodeId, ...row };
}
