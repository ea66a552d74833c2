import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { RecordConversionBody } from '@waymark/shared/contract/conversions';
import type { Event, EventContext } from '@waymark/shared/contract/event';
import { conversionRecorded, type LinkSnapshot } from '@waymark/shared/contract/events';
import { newId } from '@waymark/shared/contract/ids';
import type { Database, Transaction } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import { AUDITED, presentConversion, type Conversion } from './conversion.js';
import { findConvertedLink, type LinkFinderContext } from './find-converted-link.js';
import type { ConversionStore } from './store.js';

export interface ConversionContext extends LinkFinderContext {
  db: Database;
  conversions: ConversionStore;
}

export interface RecordedConversion {
  conversion: Conversion;
  /** False for one whose external id was there already: nothing has happened then. */
  isNew: boolean;
}

export async function recordConversion(
  ctx: ConversionContext,
  event: EventContext,
  workspace: string,
  input: RecordConversionBody,
): Promise<RecordedConversion> {
  // Before the link is looked for: it may be gone by now.
  const first = await findFirst(ctx, workspace, input);
  if (first) return repeat(ctx, first);
  const link = await findConvertedLink(ctx, workspace, input);
  const conversion = newConversion(workspace, link, input);
  try {
    return await ctx.db.transaction((tx) => insert(ctx, tx, event, link, conversion));
  } catch (error) {
    // The same external id was recorded in the same moment: now it is there.
    const winner = isDuplicateKey(error) && (await findFirst(ctx, workspace, input));
    if (!winner) throw error;
    return repeat(ctx, winner);
  }
}

async function findFirst({ conversions }: ConversionContext, workspace: string, input: RecordConversionBody) {
  return input.external_id ? conversions.byExternalId(workspace, input.external_id) : null;
}

/** In a transaction, which is where the answer to an idempotency key is stored. */
function repeat({ db }: ConversionContext, conversion: Conversion): Promise<RecordedConversion> {
  return db.transaction(() => Promise.resolve({ conversion, isNew: false }));
}

async function insert(
  { conversions }: ConversionContext,
  tx: Transaction,
  event: EventContext,
  link: LinkSnapshot,
  conversion: Conversion,
): Promise<RecordedConversion> {
  await conversions.insert(conversion, tx.session);
  tx.emit(recordedEvent(event, link, conversion));
  return { conversion, isNew: true };
}

function newConversion(workspace: string, link: LinkSnapshot, input: RecordConversionBody): Conversion {
  const now = new Date();
  return {
    _id: newId('cnv'),
    workspace,
    linkId: link.id,
    shortCode: link.short_code,
    campaign: link.campaign_tag,
    source: input.source,
    meta: input.meta ? JSON.stringify(input.meta) : null,
    value: input.value ?? null,
    currency: input.currency ?? null,
    externalId: input.external_id ?? null,
    occurredAt: input.occurred_at ? new Date(input.occurred_at) : now,
    recordedAt: now,
  };
}

function recordedEvent(event: EventContext, link: LinkSnapshot, conversion: Conversion): Event {
  const { id, short_code, short_url, title, campaign_tag } = link;
  const data = {
    conversion: presentConversion(conversion),
    link: { id, short_code, short_url, title, campaign_tag },
  };
  const target = { type: 'conversion', id: conversion._id, label: conversion.source };
  return conversionRecorded.create(event, data, { target, changes: changesBetween(AUDITED, null, conversion) });
}
