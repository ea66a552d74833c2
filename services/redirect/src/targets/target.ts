import { DEFAULT_QUERY_POLICY } from '@waymark/shared/contract/links';
import { parseDestination, type Destination } from '../redirect/destination.js';
import { CHECK_AFTER_MS, type Entry } from '../read-model/definition.js';
import type { TargetRecord } from './record.js';

export interface Target extends Entry<TargetRecord> {
  /** `null` when nobody may be sent there. */
  destination: Destination | null;
  /** The part of a scan's JSON that is the same for every scan of this link. */
  scanFields: string;
}

export function toTarget(record: TargetRecord): Target {
  const fields = {
    workspace: record.workspace,
    link_id: record.id,
    short_code: record.shortCode,
    hostname: record.hostname,
    title: record.title,
    campaign: record.campaignTag,
  };
  return {
    record,
    destination: parseDestination(
      record.destinationUrl,
      record.utmDefaults,
      record.queryPolicy ?? DEFAULT_QUERY_POLICY,
    ),
    scanFields: JSON.stringify(fields).slice(1, -1),
    checkAt: Date.now() + CHECK_AFTER_MS,
  };
}
