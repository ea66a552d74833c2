import type { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from '../config.js';
import type { ChangeContext } from '../links/context.js';
import type { ImportPace } from './import-pace.js';
import type { ImportStore } from './import-store.js';
import type { ResultStore } from './result-store.js';

export interface ImportContext extends ChangeContext {
  config: Pick<ResourceConfig, 'SHORT_BASE_URL' | 'IMPORT_READING_TIMEOUT_MS'>;
  imports: ImportStore;
  importResults: ResultStore;
  importPace: ImportPace;
  unfinishedImports: Quota;
}
