import { randomUUID } from 'node:crypto';
import { unavailable } from '@waymark/kernel/errors';
import type { Warehouse } from './warehouse.js';

/** The row of the table of fills that says that every link is marked to be loaded. */
const LINKS_MARKED = 'links marked';

/** Tracks whether the warehouse has the history of the ledger: a new or emptied one does not. */
export class FillState {
  private completeGeneration?: number;
  /** Shared by all fills of this process: a retry replaces the row of the previous attempt. */
  private readonly id = randomUUID();

  constructor(private readonly warehouse: Warehouse) {}

  async isComplete(): Promise<boolean> {
    const { generation } = this.warehouse;
    if (this.completeGeneration === generation) return true;
    const isDone = await this.warehouse.run(() => this.hasRecordedEnd());
    if (isDone) this.completeGeneration = generation;
    return isDone;
  }

  private async hasRecordedEnd(): Promise<boolean> {
    if (!this.warehouse.isReady) throw unavailable(new Error('the warehouse is not ready'));
    return this.hasFill('ended_at IS NOT NULL');
  }

  /** Records the start of a fill. */
  recordStart(): Promise<void> {
    return this.insertFill(this.id);
  }

  /** Whether a fill of these tables, also of another process, has marked every link to be loaded. */
  hasMarkedLinks(): Promise<boolean> {
    return this.hasFill(`id = '${LINKS_MARKED}'`);
  }

  recordLinksMarked(): Promise<void> {
    return this.insertFill(LINKS_MARKED);
  }

  private async hasFill(condition: string): Promise<boolean> {
    const query = `SELECT id FROM fills WHERE ${condition} LIMIT 1`;
    return (await (await this.warehouse.queryClient.query({ query, format: 'JSONEachRow' })).json()).length > 0;
  }

  private async insertFill(id: string): Promise<void> {
    const values = [{ id }];
    await this.warehouse.client.insert({ table: 'fills', values, columns: ['id'], format: 'JSONEachRow' });
  }

  /** Records the end of a fill, unless the warehouse has lost its tables, and the start with them, in the meantime. */
  async recordEnd(): Promise<void> {
    const query = 'INSERT INTO fills SELECT id, now() FROM fills WHERE id = {id:String} LIMIT 1';
    await this.warehouse.client.command({ query, query_params: { id: this.id } });
  }
}
