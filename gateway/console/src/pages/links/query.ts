import type { LinkFilters } from '../../api/links.js';
import { query, setQuery } from '../../app/router.js';

export const FILTERS = ['status', 'availability', 'tag_id', 'folder_id', 'domain_id', 'campaign'] as const;
export type FilterName = (typeof FILTERS)[number];
export const DEFAULT_SORT = '-created_at';

/** The filters in the address of the page. */
export function readFilters(): LinkFilters {
  const params = query.value;
  const entries = [...FILTERS, 'search', 'sort'].map((name) => [name, params.get(name) ?? undefined] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

export const hasFilters = (filters: LinkFilters): boolean =>
  filters.search !== undefined || FILTERS.some((name) => filters[name] !== undefined);

export const setFilter = (name: FilterName | 'search' | 'sort', value: string | undefined): void =>
  setQuery({ [name]: value }, { replace: name === 'search' });

export const clearFilters = (): void =>
  setQuery(Object.fromEntries([...FILTERS, 'search'].map((name) => [name, undefined])));
