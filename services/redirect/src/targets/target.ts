import { parseDestination, type Destination } from '../redirect/destination.js';
import type { TargetRecord } from './record.js';

/** A record made ready for redirects: everything that does not depend on the visitor is computed once. */
export interface Target {
  record: TargetRecord;
  /** `null` when nobody may be sent there. */
  destination: Destination | null;
  /** The part of a scan's JSON that is the same for every scan of this link. */
  scanFields: string;
  /** After this the record is checked against the database, while it goes on serving. */
  checkAt: number;
}

/** What a lost event can cost: the record is wrong no longer than this. */
export const CHECK_AFTER_MS = 60_000;

export function toTarget(record: TargetRecord): Target {
  const fields = {
    workspace: record.workspace,
    link_id: record.linkId,
    short_code: record.shortCode,
    hostname: record.hostname,
    title: record.title,
    campaign: record.campaignTag,
  };
  return {
    record,
    destination: parseDestination(record.destinationUrl, record.utmDefaults),
    scanFields: JSON.stringify(fields).slice(1, -1),
    checkAt: Date.now() + CHECK_AFTER_MS,
  };
}
