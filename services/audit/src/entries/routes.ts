import type { Handlers } from '@waymark/shared/kernel/http/api';
import { paginated } from '@waymark/shared/kernel/http/reply';
import { entryFilter } from './entry-filter.js';
import { presentEntry } from './entry.js';
import type { EntryStore } from './entry-store.js';

export function auditHandlers(entries: EntryStore): Handlers<'audit'> {
  return {
    'audit_logs.list': async ({ query, workspace, url }) => {
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await entries.list(workspace.slug, entryFilter(query), page);
      return paginated({ items: items.map(presentEntry), total }, page, url);
    },
  };
}
