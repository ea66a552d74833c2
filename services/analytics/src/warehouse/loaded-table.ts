/** The time of a scan of a link. */
export interface LinkScan {
  linkId: string;
  at: Date;
}

/**
 * Converts documents of the ledger to rows of a warehouse table. Declares methods, so that loaders accept any table.
 */
export interface LoadedTable<Document> {
  name: 'scans' | 'conversions';
  /** In the order of `valuesOf`. The first one is the workspace. */
  columns: readonly string[];
  /** Version of the row layout. Earlier layouts have only the first columns; this version does not load later ones. */
  layout: number;
  valuesOf(document: Document): unknown[];
  /** The time that determines the row's day. */
  timeOf(document: Document): Date;
  /** Only for scans. */
  linkScanOf?(document: Document): LinkScan;
}

/** A row that replaces another has a higher version. */
export const FIRST_VERSION = 1;

/** Encodes rows for ClickHouse (JSONCompactEachRow), one per line; the loader sends the text unchanged. */
export function encodeRows<Document>(table: LoadedTable<Document>, documents: readonly Document[]): string {
  return documents.map((document) => `${JSON.stringify(table.valuesOf(document))}\n`).join('');
}

/** Returns the workspace of a row, to separate rows by workspace. */
export function workspaceOfRow(row: string): string {
  return (JSON.parse(row) as [string])[0];
}

/** Replaces lone surrogates: ClickHouse would refuse the whole batch. */
export function wellFormed<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.toWellFormed()) as Text;
}
