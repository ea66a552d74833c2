import type { ConversionBody, ConversionStatus, RecordConversionBody } from '@waymark/contract/conversions';
import type { EventContext } from '@waymark/contract/event';
import type { LinkSnapshot } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';

/** The names of a link in a request: its id, its short code or both. */
export type LinkNames = Pick<RecordConversionBody, 'id' | 'short_code'>;

/** The data to complete a pending conversion once its link is known. */
export interface Completion {
  names: LinkNames;
  /** The event context of the request, as JSON: the event names the actor. */
  context: string;
  /** When the worker looks up the link next. */
  dueAt: Date;
}

/** A stored conversion. A recorded or rejected one never changes. */
export interface Conversion {
  _id: string;
  workspace: string;
  /** Absent in rows of earlier versions, all of which are recorded. */
  status?: ConversionStatus;
  /** `null` until the link is known. */
  linkId: string | null;
  shortCode: string | null;
  /** The campaign of the link when the conversion was recorded. */
  campaign: string | null;
  source: string;
  /** As JSON text, because callers choose the names. */
  meta: string | null;
  value: number | null;
  currency: string | null;
  /** The caller's own id, unique per source of a workspace. */
  externalId: string | null;
  occurredAt: Date;
  recordedAt: Date;
  updatedAt: Date;
  /** Why it was rejected. */
  rejection?: string | null;
  /** Present only while it is pending. */
  completion?: Completion;
}

/** Fields in the audit log; `meta` is private to the caller. */
export const AUDITED_FIELDS = {
  link_id: 'linkId',
  source: 'source',
  value: 'value',
  currency: 'currency',
  external_id: 'externalId',
  occurred_at: 'occurredAt',
} as const satisfies Record<string, keyof Conversion>;

export const isPending = ({ status }: Conversion): boolean => status === 'pending';

/** Returns a conversion whose link is not known yet. */
export function pendingConversion(workspace: string, input: RecordConversionBody, event: EventContext): Conversion {
  const now = new Date();
  const { id = null, short_code: shortCode = null } = input;
  return {
    _id: newId('cnv'),
    workspace,
    status: 'pending',
    linkId: null,
    shortCode: null,
    campaign: null,
    source: input.source,
    meta: input.meta ? JSON.stringify(input.meta) : null,
    value: input.value ?? null,
    currency: input.currency ?? null,
    externalId: input.external_id ?? null,
    occurredAt: input.occurred_at ? new Date(input.occurred_at) : now,
    recordedAt: now,
    updatedAt: now,
    completion: { names: { id, short_code: shortCode }, context: JSON.stringify(event), dueAt: now },
  };
}

export function recordedConversion({ completion: _, ...conversion }: Conversion, link: LinkSnapshot): Conversion {
  const { id, short_code: shortCode, campaign_tag: campaign } = link;
  return { ...conversion, status: 'recorded', linkId: id, shortCode, campaign, updatedAt: new Date() };
}

export function rejectedConversion({ completion: _, ...conversion }: Conversion, rejection: string): Conversion {
  return { ...conversion, status: 'rejected', rejection, updatedAt: new Date() };
}

export function presentConversion(conversion: Conversion): ConversionBody {
  return {
    id: conversion._id,
    link_id: conversion.linkId,
    short_code: conversion.shortCode,
    source: conversion.source,
    meta: conversion.meta === null ? null : (JSON.parse(conversion.meta) as Record<string, unknown>),
    value: conversion.value,
    currency: conversion.currency,
    external_id: conversion.externalId,
    occurred_at: conversion.occurredAt.toISOString(),
    recorded_at: conversion.recordedAt.toISOString(),
    status: conversion.status ?? 'recorded',
    rejection: conversion.rejection ?? null,
    updated_at: conversion.updatedAt.toISOString(),
  };
}
