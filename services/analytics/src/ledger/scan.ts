import type { Device } from '@waymark/contract/analytics';
import type { BotReason } from '@waymark/visitors/bot-reason';

/** A stored scan; it identifies the visitor only by a daily pseudonym. */
export interface Scan {
  _id: string;
  /** Id of the message that brought it. */
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
  /** Absent in scans stored by 0.1.0. */
  language?: string;
  referrer: string;
  campaign: string | null;
  /** `null` when the salt of its day was already destroyed. */
  visitor: string | null;
  /** Whether it is the first stored scan of its link and UTC day by this visitor. */
  isUnique: boolean;
  isBot: boolean;
  botReason: BotReason | null;
  /** See `agentFamily`; absent in scans stored by 0.1.0. */
  agent?: string;
  /** Another sign of a bot; absent when false. */
  prefetch?: boolean;
  /** Version of its row in the warehouse; absent for the first one. */
  version?: number;
  /** The classification in `scan.logged`, which is that of the first storage; absent while it has not changed. */
  announced?: Pick<Scan, 'isBot' | 'isUnique'>;
}
