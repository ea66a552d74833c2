import type { EventContext } from '@waymark/shared/contract/event';
import { analyticsExported } from '@waymark/shared/contract/events';
import type { Database } from '@waymark/shared/kernel/database';
import { csvFile, type Cell } from '@waymark/shared/kernel/http/csv';
import type { Reply } from '@waymark/shared/kernel/http/reply';
import type { RowsKeptContext } from '../retention/rows-kept-from.js';
import type { Scan } from '../scans/scan.js';
import type { ScanStore } from '../scans/store.js';
import type { Selection } from '../selection/selection.js';
import { dateOf } from '../time/local-days.js';

export interface ExportContext extends RowsKeptContext {
  db: Database;
  scans: ScanStore;
}

export interface ScanExport {
  selection: Selection;
  /** As the caller named them. */
  filters: Record<string, unknown>;
  columns: readonly string[];
  present: (scan: Scan) => Record<string, Cell>;
}

/** The rows of a selection as CSV, newest first, read as fast as the client takes them. */
export function exportScans(ctx: ExportContext, event: EventContext, asked: ScanExport): Reply {
  const { workspace, days } = asked.selection;
  const name = `scans-${workspace}-${dateOf(days.firstDay)}-${dateOf(days.lastDay)}`;
  return csvFile(name, asked.columns, rowsOf(ctx, event, asked));
}

/** Whoever gets a row is in the audit log before. */
async function* rowsOf({ db, scans }: ExportContext, event: EventContext, asked: ScanExport): AsyncGenerator<Cell[]> {
  await db.transaction((tx) => Promise.resolve(tx.emit(exportedEvent(event, asked))));
  for await (const scan of scans.newestFirst(asked.selection)) {
    const row = asked.present(scan);
    yield asked.columns.map((column) => row[column]!);
  }
}

function exportedEvent(event: EventContext, { selection, filters: asked }: ScanExport) {
  const { workspace, days } = selection;
  const filters = { ...asked, start_date: dateOf(days.firstDay), end_date: dateOf(days.lastDay) };
  const target = { type: 'analytics', id: workspace, label: null };
  return analyticsExported.create(event, { filters }, { target, changes: { filters: { from: null, to: filters } } });
}
