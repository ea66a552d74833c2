import { Schema } from 'mongoose';
import { CONTENT_EVENTS, type DestinationBlock, type LinkSnapshot } from '@waymark/contract/events';
import { resolveCode } from '@waymark/contract/requests';
import type { Requester } from '@waymark/kernel/broker/requests';
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
    isBlocked: Boolean,
  },
  countField: 'scansCount',
  queue: 'redirect.targets',
  events: CONTENT_EVENTS,
  recordOf: targetRecordOf,
  entryOf: toRedirectTarget,
  keyOf: ({ hostname, shortCode }) => targetKey(hostname, shortCode),
  ask: (requester, address, timeoutMs) => askForTarget(requester, address, { timeoutMs, onBlock: () => undefined }),
};

/** The same, and tells of the blocked hosts that the owner of the links names beside a link that leads there. */
export const targetModelWith = (onBlock: (block: DestinationBlock) => void): typeof targetModel => ({
  ...targetModel,
  ask: (requester, address, timeoutMs) => askForTarget(requester, address, { timeoutMs, onBlock }),
});

async function askForTarget(
  requester: Requester,
  { hostname, shortCode }: LinkAddress,
  { timeoutMs, onBlock }: { timeoutMs: number; onBlock: (block: DestinationBlock) => void },
): Promise<TargetRecord | 'gone' | undefined> {
  const answer = await requester.ask(resolveCode, { hostname, short_code: shortCode }, timeoutMs);
  answer.destination_blocks?.forEach(onBlock);
  const { target, is_gone: isGone } = answer;
  if (!target) return isGone ? 'gone' : undefined;
  return toTargetRecord(target.workspace, target.link, { changedAt: new Date(), isGone: false });
}
