import type { Quota } from '@waymark/kernel/mongo/quota';
import type { ResourceConfig } from '../config.js';
import type { ChangeContext } from '../links/context.js';
import type { ImportStore } from './import-store.js';
import type { ResultStore } from './result-store.js';

export interface ImportContext extends ChangeContext {
  config: Pick<ResourceConfig, 'SHORT_BASE_URL'>;
  imports: ImportStore;
  importResults: ResultStore;
  unfinishedImports: Quota;
}
