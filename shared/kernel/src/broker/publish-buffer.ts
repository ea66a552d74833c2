const ROWS_MAX = 10_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** Rows kept in memory for publishing at once, bounded in number and bytes: rows beyond that are only stored. */
export class PublishBuffer<Row extends { body: string }> {
  private rows: Row[] = [];
  private bytes = 0;

  /** @returns false when there is no room for the row */
  add(row: Row): boolean {
    const bytes = Buffer.byteLength(row.body);
    if (this.rows.length >= ROWS_MAX || this.bytes + bytes > BYTES_MAX) return false;
    this.rows.push(row);
    this.bytes += bytes;
    return true;
  }

  takeBatch(max: number): Row[] {
    const batch = this.rows.splice(0, max);
    for (const { body } of batch) this.bytes -= Buffer.byteLength(body);
    return batch;
  }
}
