import { DEFAULT_QUERY_POLICY } from '@waymark/contract/links';
import { DEFAULT_REDIRECT_STATUS, type RedirectStatus } from '@waymark/contract/visit-fields';
import { entryOf, type Entry } from '../read-model/definition.js';
import { parseDestination, type Destination } from '../destinations/destination.js';
import { openingOf, type Opening } from './opening.js';
import type { TargetRecord } from './target-record.js';

/** An opening without its text: an object and five numbers, each of which may be an object of its own. */
const OPENING_BYTES = 150;

export interface RedirectTarget extends Entry {
  isArchived: boolean;
  isBlocked: boolean;
  /** `null` for a link that always redirects. */
  opening: Opening | null;
  status: RedirectStatus;
  forwardsPath: boolean;
  /** `null` if the stored destination is not a safe http or https address. */
  destination: Destination | null;
  /** The part of a scan's JSON that is the same for every scan of this link. */
  scanFields: string;
}

export function toRedirectTarget(record: TargetRecord, before?: RedirectTarget): RedirectTarget {
  const { destinationUrl, utmDefaults, queryPolicy = DEFAULT_QUERY_POLICY, isArchived, isBlocked = false } = record;
  const { redirectStatus: status = DEFAULT_REDIRECT_STATUS, forwardPath: forwardsPath = false } = record;
  const opening = openingOf(record, before?.opening);
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
  const openingBytes = opening ? OPENING_BYTES + (opening.expired?.length ?? 0) : 0;
  const { id, workspace, keys, revision, changedAt, checkAt, bytes } = entryOf(record, textBytes + openingBytes);
  // One literal: an object that a spread begins keeps room for properties that never come, 300 bytes here.
  return {
    id,
    workspace,
    keys,
    revision,
    changedAt,
    checkAt,
    bytes,
    isArchived,
    isBlocked,
    opening,
    status,
    forwardsPath,
    destination,
    scanFields,
  };
}
