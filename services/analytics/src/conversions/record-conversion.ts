import { changesBetween } from '@waymark/contract/audit-changes';
import type { RecordConversionBody } from '@waymark/contract/conversions';
import type { Event, EventContext } from '@waymark/contract/event';
import { conversionRecorded, type LinkSnapshot } from '@waymark/contract/events';
import type { Database } from '@waymark/kernel/mongo/database';
import { isDuplicateKey, isOutage, unavailable } from '@waymark/kernel/errors';
import {
  AUDITED_FIELDS,
  pendingConversion,
  presentConversion,
  recordedConversion,
  type Conversion,
} from './conversion.js';
import { findConvertedLink, type LinkFinderContext } from './find-converted-link.js';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import type { ConversionStore } from './conversion-store.js';

/** Pending conversions per workspace; further ones get 503. */
const PENDING_MAX = 10_000;

export interface ConversionContext extends LinkFinderContext {
  db: Database;
  conversions: ConversionStore;
  pending: { conversions: PendingRowsStore<Conversion> };
}

export interface RecordOutcome {
  conversion: Conversion;
  /** False when an earlier request used the external id: nothing new was stored. */
  isNew: boolean;
}

/** Records a conversion of a link, or stores it as pending while the owner of the links does not answer. */
export async function recordConversion(
  ctx: ConversionContext,
  event: EventContext,
  { workspace, input }: { workspace: string; input: RecordConversionBody },
): Promise<RecordOutcome> {
  // Before the look-up of the link, which may have been deleted since.
  const first = await findRepeated(ctx, workspace, input);
  if (first) return repeatOutcome(ctx, first);
  const pending = pendingConversion(workspace, input, event);
  const link = await linkOrNull(ctx, workspace, input);
  if (!link && (await ctx.conversions.countPending(workspace, PENDING_MAX)) >= PENDING_MAX) throw unavailable();
  try {
    return await insertConversion(ctx, event, { link, conversion: link ? recordedConversion(pending, link) : pending });
  } catch (error) {
    // A concurrent request with the same external id was faster.
    const winner = isDuplicateKey(error) && (await findRepeated(ctx, workspace, input));
    if (!winner) throw error;
    return repeatOutcome(ctx, winner);
  }
}

async function findRepeated({ conversions }: ConversionContext, workspace: string, input: RecordConversionBody) {
  const { source, external_id: externalId } = input;
  return externalId ? conversions.conversionByExternalId(workspace, source, externalId) : null;
}

/** @returns null when the owner of the links does not answer */
async function linkOrNull(ctx: ConversionContext, workspace: string, input: RecordConversionBody) {
  try {
    return await findConvertedLink(ctx, workspace, input);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return null;
  }
}

/** In a transaction, because the transaction also stores the answer for the idempotency key. */
function repeatOutcome({ db }: ConversionContext, conversion: Conversion): Promise<RecordOutcome> {
  return db.transaction(() => Promise.resolve({ conversion, isNew: false }));
}

/** Replaces a rejected conversion with the same external id: its sender may have corrected it. */
function insertConversion(
  { db, conversions, pending }: ConversionContext,
  event: EventContext,
  { link, conversion }: { link: LinkSnapshot | null; conversion: Conversion },
): Promise<RecordOutcome> {
  return db.transaction(async (tx) => {
    await conversions.removeRejected(conversion, tx.session);
    await conversions.insertConversion(conversion, tx.session);
    if (link) {
      await pending.conversions.addRows([conversion], tx.session);
      tx.emit(conversionRecordedEvent(event, link, conversion));
    }
    return { conversion, isNew: true };
  });
}

export function conversionRecordedEvent(event: EventContext, link: LinkSnapshot, conversion: Conversion): Event {
  const { id, short_code, short_url, title, campaign_tag, folder_id, tags } = link;
  const data = {
    conversion: { ...presentConversion(conversion), link_id: id, short_code },
    link: { id, short_code, short_url, title, campaign_tag, folder_id, tags },
  };
  const target = { type: 'conversion', id: conversion._id, label: conversion.source };
  return conversionRecorded.create(event, data, { target, changes: changesBetween(AUDITED_FIELDS, null, conversion) });
}
