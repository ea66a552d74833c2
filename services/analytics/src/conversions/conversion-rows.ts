import type { Conversion } from './conversion.js';
import { FIRST_VERSION, wellFormed, type LoadedTable } from '../warehouse/loaded-table.js';

/** Only recorded conversions are loaded, neither pending nor rejected ones. */
export const CONVERSIONS_TABLE: LoadedTable<Conversion> = {
  name: 'conversions',
  columns: [
    'workspace',
    'at',
    'link_id',
    'id',
    'short_code',
    'campaign',
    'source',
    'value',
    'currency',
    'recorded_at',
    'version',
  ],
  layout: 1,
  valuesOf: (conversion) => [
    conversion.workspace,
    conversion.occurredAt.getTime(),
    conversion.linkId,
    conversion._id,
    conversion.shortCode,
    wellFormed(conversion.campaign),
    wellFormed(conversion.source),
    conversion.value,
    conversion.currency,
    conversion.recordedAt.getTime(),
    FIRST_VERSION,
  ],
  timeOf: ({ occurredAt }) => occurredAt,
};
