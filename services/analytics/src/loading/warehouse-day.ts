import { createHash } from 'node:crypto';
import type { WarehouseReader } from '../warehouse/query/reader.js';
import { bind, sql, type Sql } from '../warehouse/query/sql.js';
import { deleteOfDaySql, rowsOfDaySql, type TableDay } from '../warehouse/query/table-day.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** The number of rows, and the XOR of the hashes of their ids, in hexadecimal. */
export interface Digest {
  rows: number;
  checksum: string;
}

/** The warehouse rows of one table, workspace and UTC day. */
export class WarehouseDay {
  constructor(
    private readonly stores: { reader: WarehouseReader; warehouse: Warehouse },
    private readonly tableDay: TableDay,
  ) {}

  async digest(): Promise<Digest> {
    const hash = sql`reinterpretAsUInt64(substring(SHA256(id), 1, 8))`;
    const columns = sql`count() AS rows, lower(hex(groupBitXor(${hash}))) AS checksum`;
    const [row] = await this.runQuery<Digest>(rowsOfDaySql(this.tableDay, columns));
    return row!;
  }

  /** Returns which of the ids are in the warehouse. */
  async loadedIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.runQuery<{ id: string }>(
      sql`${rowsOfDaySql(this.tableDay, sql`id`)} AND id IN ${bind.texts(ids)}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns the next ids in alphabetical order. */
  async idsAfter(id: string, limit: number): Promise<string[]> {
    const later = sql`${rowsOfDaySql(this.tableDay, sql`id`)} AND id > ${bind.text(id)}`;
    const rows = await this.runQuery<{ id: string }>(sql`${later} ORDER BY id LIMIT ${bind.count(limit)}`);
    return rows.map((row) => row.id);
  }

  async deleteRows(ids: readonly string[]): Promise<void> {
    const { warehouse } = this.stores;
    const statement = deleteOfDaySql(this.tableDay, ids, warehouse.cluster).render();
    await warehouse.run((client) => client.command(statement));
  }

  private runQuery<Row>(query: Sql): Promise<Row[]> {
    return this.stores.reader.runQuery(this.tableDay, query);
  }
}

/** Computes the digest of ledger rows like `WarehouseDay.digest`. */
export class LedgerDigest {
  private rows = 0;
  private checksum = 0n;

  addId(id: string): void {
    this.rows += 1;
    this.checksum ^= createHash('sha256').update(id).digest().readBigUInt64LE(0);
  }

  result(): Digest {
    return { rows: this.rows, checksum: this.checksum.toString(16).padStart(16, '0') };
  }
}
