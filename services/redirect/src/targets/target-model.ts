import { Schema } from 'mongoose';
import { CONTENT_EVENTS, type LinkSnapshot } from '@waymark/contract/events';
import { resolveCode } from '@waymark/contract/requests';
import type { ReadModelDefinition } from '../read-model/definition.js';
import { recordOf, targetKey, toRecord, type TargetRecord } from './record.js';
import { toTarget, type Target } from './target.js';

export interface TargetPlace {
  /** `null` for the default short host. */
  hostname: string | null;
  shortCode: string;
}

/** Where a code on a host leads. */
export const targetModel: ReadModelDefinition<TargetRecord, Target, TargetPlace, { link: LinkSnapshot }> = {
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
  },
  queue: 'redirect.targets',
  events: CONTENT_EVENTS,
  recordOf,
  entryOf: toTarget,
  keyOf: ({ hostname, shortCode }) => targetKey(hostname, shortCode),
  ask: async (requester, { hostname, shortCode }, timeoutMs) => {
    const { target } = await requester.ask(resolveCode, { hostname, short_code: shortCode }, timeoutMs);
    return target ? toRecord(target.workspace, target.link, new Date()) : undefined;
  },
};
