import type { ConversionFilters } from '@waymark/contract/conversions';
import { firstMomentOf, lastMomentOf } from '@waymark/contract/date-or-time';
import type { QueryFilter } from 'mongoose';
import type { Conversion } from './conversion.js';

const FIELD_OF = { recorded_at: 'recordedAt', updated_at: 'updatedAt' } as const;

/** Neither pending nor rejected; rows of earlier versions have no status. */
export const RECORDED_FILTER = { status: { $nin: ['pending', 'rejected'] } } satisfies QueryFilter<Conversion>;

export function conversionFilter(workspace: string, filters: ConversionFilters): QueryFilter<Conversion> {
  const { link_id: linkId, source, external_id: externalId, status, from, to, updated_since: updatedSince } = filters;
  const occurredAt = { ...(from && { $gte: firstMomentOf(from) }), ...(to && { $lte: lastMomentOf(to) }) };
  return {
    workspace,
    ...(linkId && { linkId }),
    ...(source && { source }),
    ...(externalId && { externalId }),
    ...(status && (status === 'recorded' ? RECORDED_FILTER : { status })),
    ...((from ?? to) && { occurredAt }),
    ...(updatedSince && { updatedAt: { $gte: updatedSince } }),
  };
}

/** The id breaks ties. */
export function conversionOrder(sort: ConversionFilters['sort']): Record<string, 1 | -1> {
  const direction = sort.startsWith('-') ? -1 : 1;
  const name = sort.replace('-', '') as keyof typeof FIELD_OF;
  return { [FIELD_OF[name]]: direction, _id: direction };
}
