import { deleteScans, scansOf, type Question } from '../warehouse/query/question.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';
import { bind, sql } from '../warehouse/query/sql.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** How many scans there are, and the exclusive or of the hashes of their ids, in hexadecimal. */
export interface Digest {
  scans: number;
  checksum: string;
}

/** What the warehouse has of one workspace and UTC day. */
export class WarehouseDay {
  private readonly question: Question;

  constructor(
    private readonly stores: { reader: WarehouseReader; warehouse: Warehouse },
    workspace: string,
    day: string,
  ) {
    const dates = { firstDate: day, lastDate: day, timeZone: 'UTC' };
    this.question = { workspace, ...dates, filters: [], includeBots: true };
  }

  async digest(): Promise<Digest> {
    const hash = sql`reinterpretAsUInt64(substring(SHA256(id), 1, 8))`;
    const columns = sql`count() AS scans, lower(hex(groupBitXor(${hash}))) AS checksum`;
    const [row] = await this.stores.reader.run<Digest>(this.question, scansOf(this.question, columns));
    return row!;
  }

  /** Those of the ids that are in the warehouse. */
  async known(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = sql`${scansOf(this.question, sql`id`)} AND id IN ${bind.texts(ids)}`;
    const found = await this.stores.reader.run<{ id: string }>(this.question, rows);
    return new Set(found.map(({ id }) => id));
  }

  /** Ids in alphabetical order, after this one. */
  async idsAfter(id: string, limit: number): Promise<string[]> {
    const rows = scansOf(this.question, sql`id`);
    const next = sql`${rows} AND id > ${bind.text(id)} ORDER BY id LIMIT ${bind.count(limit)}`;
    const found = await this.stores.reader.run<{ id: string }>(this.question, next);
    return found.map((row) => row.id);
  }

  async remove(ids: readonly string[]): Promise<void> {
    const { client, cluster } = this.stores.warehouse;
    await client.command(deleteScans(this.question, ids, cluster).render());
  }
}
