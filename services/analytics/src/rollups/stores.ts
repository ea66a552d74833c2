import type { Database } from '@waymark/shared/kernel/database';
import { ScanStore } from '../scans/store.js';
import { CellStore } from './cell-store.js';
import { UncountedStore } from './uncounted-store.js';
import { VisitorDayStore } from './visitor-days.js';
import { VocabularyStore } from './vocabulary-store.js';

/** The raw scans and all that is made of them. */
export interface RollupStores {
  scans: ScanStore;
  uncounted: UncountedStore;
  cells: CellStore;
  visitorDays: VisitorDayStore;
  vocabularies: VocabularyStore;
}

export function rollupStores(db: Database): RollupStores {
  return {
    scans: new ScanStore(db),
    uncounted: new UncountedStore(db),
    cells: new CellStore(db),
    visitorDays: new VisitorDayStore(db),
    vocabularies: new VocabularyStore(db),
  };
}
