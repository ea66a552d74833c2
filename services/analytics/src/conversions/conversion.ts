import type { ConversionBody } from '@waymark/shared/contract/conversions';

/** A conversion as it is stored; it is never changed. */
export interface Conversion {
  _id: string;
  workspace: string;
  linkId: string;
  shortCode: string;
  /** Of the link when the conversion was recorded. */
  campaign: string | null;
  source: string;
  /** As JSON text, since its names are whatever the caller chose. */
  meta: string | null;
  value: number | null;
  currency: string | null;
  /** The caller's own id: one conversion for each in a workspace. */
  externalId: string | null;
  occurredAt: Date;
  recordedAt: Date;
}

/** What the audit log shows; `meta` is the caller's business. */
export const AUDITED = {
  link_id: 'linkId',
  source: 'source',
  value: 'value',
  currency: 'currency',
  external_id: 'externalId',
  occurred_at: 'occurredAt',
} as const satisfies Record<string, keyof Conversion>;

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
  };
}
