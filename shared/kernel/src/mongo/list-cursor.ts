import { z } from 'zod';
import { cursorInvalid } from '@waymark/contract/problems';
import { invalid } from '../errors.js';

/** One page, requested by its number or by the cursor from the previous page. */
export interface RequestedPage {
  page: number;
  perPage: number;
  cursor?: string;
}

/** Where a list continues: after this document, the last one read. */
export interface Position {
  /** The document's value in the field by which the list is sorted. */
  value: Date | number | string;
  id: string;
  /** How many documents of the list were read up to here. */
  readCount: number;
}

/** A field by which a list is sorted, and the type of its values. */
export interface SortField {
  /** The collection: a cursor is valid for one list only. */
  list: string;
  name: string;
  direction: 1 | -1;
  type: 'Date' | 'Number' | 'String';
}

/** The four-digit years of ISO 8601, in which services write times. */
const YEARS = { first: Date.parse('0000-01-01T00:00:00.000Z'), last: Date.parse('9999-12-31T23:59:59.999Z') };
/** More items than a list ever has. */
const READ_COUNT_MAX = 1_000_000_000;
const VALUES = {
  Date: z.number().int().min(YEARS.first).max(YEARS.last),
  Number: z.number(),
  String: z.string().max(1024),
};
const orderOf = ({ list, name, direction }: SortField) => `${list} ${name} ${direction}`;
const partsOf = (field: SortField) =>
  z.tuple([
    z.literal(orderOf(field)),
    VALUES[field.type],
    z.string().min(1).max(64),
    z.number().int().min(0).max(READ_COUNT_MAX),
  ]);

export function encodeCursor(field: SortField, { value, id, readCount }: Position): string {
  const parts = [orderOf(field), value instanceof Date ? value.getTime() : value, id, readCount];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws AppError `validation_failed` for a text that no list in this order has issued */
export function decodeCursor(field: SortField, cursor: string): Position {
  try {
    const json: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const [, value, id, readCount] = partsOf(field).parse(json);
    return { value: field.type === 'Date' ? new Date(value) : value, id, readCount };
  } catch {
    throw invalid({ cursor: [cursorInvalid('sort')] });
  }
}
