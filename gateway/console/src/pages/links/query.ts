import type { LinkFilters } from '../../api/links.js';
import { query, setQuery } from '../../app/router.js';

export const FILTERS = ['status', 'tag_id', 'folder_id', 'domain_id', 'campaign'] as const;
export type FilterName = (typeof FILTERS)[number];
export const DEFAULT_SORT = '-created_at';

/** The filters in the address of the page. */
export function readFilters(): LinkFilters {
  const params = query.value;
  const entries = [...FILTERS, 'search', 'sort'].map((name) => [name, params.get(name) ?? undefined] as const);
  const page = Math.trunc(Number(params.get('page')));
  return {
    ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(page > 1 && { page }),
  };
}

export const hasFilters = (filters: LinkFilters): boolean =>
  filters.search !== undefined || FILTERS.some((name) => filters[name] !== undefined);

/** A changed filter starts at the first page. */
export const setFilter = (name: FilterName | 'search' | 'sort', value: string | undefined): void =>
  setQuery({ [name]: value, page: undefined }, { replace: name === 'search' });

export const clearFilters = (): void =>
  setQuery(Object.fromEntries([...FILTERS, 'search', 'page'].map((name) => [name, undefined])));
