import type { Database } from '@waymark/shared/kernel/database';
import { openPending, type Pending } from '../ledger/pending-rows.js';
import { LinkStore } from '../links/store.js';
import { RetentionStore } from '../retention/retention-store.js';
import { ScanStore } from '../scans/store.js';
import { CellStore } from './cell-store.js';
import { UncountedStore } from './uncounted-store.js';
import { VisitorDayStore } from './visitor-days.js';
import { VocabularyStore } from './vocabulary-store.js';

/** The raw scans, and all that counting them writes to. */
export interface RollupStores {
  scans: ScanStore;
  links: LinkStore;
  retention: RetentionStore;
  uncounted: UncountedStore;
  pending: Pending;
  cells: CellStore;
  visitorDays: VisitorDayStore;
  vocabularies: VocabularyStore;
}

export function rollupStores(db: Database): RollupStores {
  return {
    scans: new ScanStore(db),
    links: new LinkStore(db),
    retention: new RetentionStore(db),
    uncounted: new UncountedStore(db),
    pending: openPending(db),
    cells: new CellStore(db),
    visitorDays: new VisitorDayStore(db),
    vocabularies: new VocabularyStore(db),
  };
}
