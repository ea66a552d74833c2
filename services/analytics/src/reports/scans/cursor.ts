import { z } from 'zod';
import { invalid } from '@waymark/kernel/errors';
import type { RowPosition } from '../../warehouse/query/scan-pages.js';

/** The last row of a page, the number of rows read up to it, and the total when the first page was read. */
export interface ScanCursor extends RowPosition {
  rowsRead: number;
  total: number;
}

/** The latest time that the warehouse can parse. */
const TIME_MAX = Date.UTC(2299, 11, 31);
const cursorParts = z.tuple([
  z.number().int().min(0).max(TIME_MAX),
  z.string().min(1).max(64),
  z.number().int().min(0),
  z.number().int().min(0),
]);

export function encodeScanCursor({ scannedAt, id, rowsRead, total }: ScanCursor): string {
  return Buffer.from(JSON.stringify([scannedAt.getTime(), id, rowsRead, total])).toString('base64url');
}

/** @throws AppError `validation_failed` for text that is not a cursor of this list */
export function decodeScanCursor(cursor: string): ScanCursor {
  try {
    const parts = cursorParts.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    const [time, id, rowsRead, total] = parts;
    return { scannedAt: new Date(time), id, rowsRead, total };
  } catch {
    throw invalid({ cursor: ['The cursor must be a next_cursor of this list.'] });
  }
}
