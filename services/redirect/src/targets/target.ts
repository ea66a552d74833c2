import { DEFAULT_QUERY_POLICY } from '@waymark/contract/links';
import { entryOf, type Entry } from '../read-model/definition.js';
import { parseDestination, type Destination } from '../destinations/destination.js';
import type { TargetRecord } from './target-record.js';

export interface RedirectTarget extends Entry {
  isArchived: boolean;
  isBlocked: boolean;
  /** `null` if the stored destination is not a safe http or https address. */
  destination: Destination | null;
  /** The part of a scan's JSON that is the same for every scan of this link. */
  scanFields: string;
}

export function toRedirectTarget(record: TargetRecord): RedirectTarget {
  const { destinationUrl, utmDefaults, queryPolicy = DEFAULT_QUERY_POLICY, isArchived, isBlocked = false } = record;
  const destination = parseDestination(destinationUrl, utmDefaults, queryPolicy);
  const fields = {
    workspace: record.workspace,
    link_id: record.id,
    short_code: record.shortCode,
    hostname: record.hostname,
    title: record.title,
    campaign: record.campaignTag,
  };
  const scanFields = JSON.stringify(fields).slice(1, -1);
  // If a title has a character that takes two bytes, every character of the string does.
  const textBytes = (destination?.location.length ?? 0) + 2 * scanFields.length;
  return { ...entryOf(record, textBytes), isArchived, isBlocked, destination, scanFields };
}
