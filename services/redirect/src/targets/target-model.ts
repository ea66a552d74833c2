import { Schema } from 'mongoose';
import { CONTENT_EVENTS, type LinkSnapshot } from '@waymark/contract/events';
import { resolveCode } from '@waymark/contract/requests';
import type { ReadModelDefinition } from '../read-model/definition.js';
import { targetRecordOf, targetKey, toTargetRecord, type TargetRecord } from './target-record.js';
import { toRedirectTarget, type RedirectTarget } from './target.js';

export interface LinkAddress {
  /** `null` for the default short host. */
  hostname: string | null;
  shortCode: string;
}

/** Where a code on a host leads. */
export const targetModel: ReadModelDefinition<TargetRecord, RedirectTarget, LinkAddress, { link: LinkSnapshot }> = {
  collection: 'targets',
  fields: {
    workspace: String,
    hostname: String,
    shortCode: String,
    title: String,
    campaignTag: String,
    destinationUrl: String,
    utmDefaults: Schema.Types.Mixed,
    queryPolicy: String,
    isArchived: Boolean,
    startsAt: Date,
    expiresAt: Date,
    expiredUrl: String,
    maxScans: Number,
    scansCount: Number,
    redirectStatus: Number,
    forwardPath: Boolean,
  },
  countField: 'scansCount',
  queue: 'redirect.targets',
  events: CONTENT_EVENTS,
  recordOf: targetRecordOf,
  entryOf: toRedirectTarget,
  keyOf: ({ hostname, shortCode }) => targetKey(hostname, shortCode),
  ask: async (requester, { hostname, shortCode }, timeoutMs) => {
    const question = { hostname, short_code: shortCode };
    const { target, is_gone: isGone } = await requester.ask(resolveCode, question, timeoutMs);
    if (!target) return isGone ? 'gone' : undefined;
    return toTargetRecord(target.workspace, target.link, { changedAt: new Date(), isGone: false });
  },
};
