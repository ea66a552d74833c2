/** When a link was scanned. */
export interface LinkScan {
  linkId: string;
  at: Date;
}

/** How documents of the ledger become rows of a table of the warehouse. Methods, so that loaders can take any table. */
export interface LoadedTable<Document> {
  name: 'scans' | 'conversions';
  /** In the order of `valuesOf`. The first one is the workspace. */
  columns: readonly string[];
  /** The layout of the rows. An earlier one has the first of the columns; a later one is not loaded by this version. */
  layout: number;
  valuesOf(document: Document): unknown[];
  /** The time by which the row is counted. */
  timeOf(document: Document): Date;
  /** Only of scans. */
  linkScanOf?(document: Document): LinkScan;
}

/** A row that replaces another has a higher version. */
export const FIRST_VERSION = 1;

/** The rows as ClickHouse reads them (JSONCompactEachRow), one on each line: the loader passes the text on as it is. */
export function encodeRows<Document>(table: LoadedTable<Document>, documents: readonly Document[]): string {
  return documents.map((document) => `${JSON.stringify(table.valuesOf(document))}\n`).join('');
}

/** The workspace of each row, for rows that have to be told apart. */
export function workspaceOfRow(row: string): string {
  return (JSON.parse(row) as [string])[0];
}

/** Half of a surrogate pair is no text to ClickHouse, which would refuse the whole batch. */
export function wellFormed<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.toWellFormed()) as Text;
}
