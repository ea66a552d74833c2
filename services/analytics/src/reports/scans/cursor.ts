import { hash } from 'node:crypto';
import { z } from 'zod';
import { cursorInvalid } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { RowPosition } from '../../warehouse/query/scan-pages.js';
import { givenDate, type Selection } from '../selection/selection.js';

/** The last row of a page, the number of rows read up to it, and the total when the first page was read. */
interface ScanCursor extends RowPosition {
  rowsRead: number;
  total: number;
}

interface SentDates {
  start_date?: string;
  end_date?: string;
}

const KEY_LENGTH = 12;
/** The latest time that the warehouse can parse. */
const TIME_MAX = Date.UTC(2299, 11, 31);
const cursorParts = z.tuple([
  z.string(),
  z.number().int().min(0).max(TIME_MAX),
  z.string().min(1).max(64),
  z.number().int().min(0),
  z.number().int().min(0),
]);

/**
 * Returns the key of a list, so that a cursor, which carries the list's total, fits only that list. Dates that were not
 * given are not part of it: a walk that began before midnight goes on.
 */
export function scanListKey({ workspace, timeZone, filters, includeBots }: Selection, sent: SentDates): string {
  const dates = [givenDate(sent.start_date), givenDate(sent.end_date)];
  const selected = filters.map(({ name, isNegated, values }) => [name, isNegated, values.toSorted()]);
  const text = JSON.stringify([workspace.slug, timeZone, includeBots, dates, selected]);
  return hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);
}

export function encodeScanCursor(listKey: string, { scannedAt, id, rowsRead, total }: ScanCursor): string {
  return Buffer.from(JSON.stringify([listKey, scannedAt.getTime(), id, rowsRead, total])).toString('base64url');
}

/** @throws AppError `validation_failed` for text that is not a cursor of this list */
export function decodeScanCursor(listKey: string, cursor: string): ScanCursor {
  try {
    const parts = cursorParts.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    const [key, time, id, rowsRead, total] = parts;
    if (key !== listKey) throw new Error('a cursor of another list');
    return { scannedAt: new Date(time), id, rowsRead, total };
  } catch {
    throw invalid({ cursor: [cursorInvalid('filters')] });
  }
}
