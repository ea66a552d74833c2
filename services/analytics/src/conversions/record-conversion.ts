import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { RecordConversionBody } from '@waymark/shared/contract/conversions';
import type { Event, EventContext } from '@waymark/shared/contract/event';
import { conversionRecorded } from '@waymark/shared/contract/events';
import { newId } from '@waymark/shared/contract/ids';
import type { Database, Transaction } from '@waymark/shared/kernel/database';
import { isDuplicateKey } from '@waymark/shared/kernel/errors';
import type { Link } from '../links/link.js';
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
  const link = await findConvertedLink(ctx, workspace, input);
  const conversion = newConversion(link, input);
  const attempt = () => ctx.db.transaction((tx) => recordOnce(ctx, tx, event, link, conversion));
  try {
    return await attempt();
  } catch (error) {
    // The same external id was recorded in the same moment: now it is there.
    if (!isDuplicateKey(error)) throw error;
    return attempt();
  }
}

async function recordOnce(
  { conversions }: ConversionContext,
  tx: Transaction,
  event: EventContext,
  link: Link,
  conversion: Conversion,
): Promise<RecordedConversion> {
  const { workspace, externalId } = conversion;
  const first = externalId === null ? null : await conversions.byExternalId(workspace, externalId, tx.session);
  if (first) return { conversion: first, isNew: false };
  await conversions.insert(conversion, tx.session);
  tx.emit(recordedEvent(event, link, conversion));
  return { conversion, isNew: true };
}

function newConversion(link: Link, input: RecordConversionBody): Conversion {
  const now = new Date();
  return {
    _id: newId('cnv'),
    workspace: link.workspace,
    linkId: link._id,
    shortCode: link.shortCode,
    campaign: link.campaign,
    source: input.source,
    meta: input.meta ? JSON.stringify(input.meta) : null,
    value: input.value ?? null,
    currency: input.currency ?? null,
    externalId: input.external_id ?? null,
    occurredAt: input.occurred_at ? new Date(input.occurred_at) : now,
    recordedAt: now,
  };
}

function recordedEvent(event: EventContext, link: Link, conversion: Conversion): Event {
  const { _id: id, shortCode, shortUrl, title, campaign } = link;
  const data = {
    conversion: presentConversion(conversion),
    link: { id, short_code: shortCode, short_url: shortUrl, title, campaign_tag: campaign },
  };
  const target = { type: 'conversion', id: conversion._id, label: conversion.source };
  return conversionRecorded.create(event, data, { target, changes: changesBetween(AUDITED, null, conversion) });
}
