import { isCounted, scansOf, type Question } from './question.js';
import { bind, sql, type Sql } from './sql.js';

/** A row of the list and of the export, as the warehouse answers it. */
export interface ScanRecord {
  id: string;
  link_id: string;
  short_code: string;
  /** Milliseconds since 1970. */
  scanned_at: number;
  trigger: 'link' | 'qr';
  country: string;
  region: string;
  city: string;
  device: string;
  browser: string;
  os: string;
  language: string;
  referrer: string;
  campaign: string | null;
  is_unique: boolean;
  is_bot: boolean;
}

/** The last row that was read. */
export interface Position {
  scannedAt: Date;
  id: string;
}

/** Which of the rows: after a position, or after so many. */
export interface Page {
  limit: number;
  offset?: number;
  after?: Position;
}

/**
 * The next rows after a position, newest first, ties by id. A day is read after the other, so that a page costs as much as
 * the days it touches, at any depth.
 */
export function scanRowsSql(question: Question, { limit, offset = 0, after }: Page): Sql {
  const rows = scansOf(
    question,
    sql`id, link_id, short_code, toUnixTimestamp64Milli(at) AS scanned_at, trigger, country, region, city, device, browser,
      os, language, referrer, campaign, is_unique, is_bot`,
  );
  return sql`${rows} AND ${isCounted(question)}${after ? afterSql(after) : sql``}
    ORDER BY toDate(at) DESC, at DESC, id DESC LIMIT ${bind.count(limit)} OFFSET ${bind.count(offset)}`;
}

/** How many rows the list has in all. */
export const scanCountSql = (question: Question): Sql =>
  sql`${scansOf(question, sql`count() AS rows`)} AND ${isCounted(question)}`;

function afterSql({ scannedAt, id }: Position): Sql {
  const time = bind.time(scannedAt);
  return sql` AND toDate(at) <= toDate(${time}) AND (at, id) < (${time}, ${bind.text(id)})`;
}
