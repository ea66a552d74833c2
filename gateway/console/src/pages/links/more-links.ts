import { useEffect, useRef, useState } from 'preact/hooks';
import { listLinks, type BulkChange, type Link, type LinkFilters } from '../../api/links.js';
import { entryId } from '../../app/history-entries.js';
import { workspace } from '../../app/session.js';
import { useTask } from '../../components/task.js';
import { catalogue } from './catalogue.js';
import { keepList, type KeptList, type LinkPage } from './kept-lists.js';

interface FirstPage {
  page: LinkPage | undefined;
  /** Whether the page has these filters: that of earlier ones is shown until theirs has come. */
  isCurrent: boolean;
  kept: KeptList | undefined;
}

/** The links after the first page. Only the first page is refreshed; these stay as they were loaded. */
export function useMoreLinks(filters: LinkFilters, { page: first, isCurrent, kept }: FirstPage) {
  const [entry] = useState(entryId);
  const [pages, setPages] = useState<readonly Link[][]>(kept?.further ?? []);
  const [last, setLast] = useState(kept?.last);
  const spaces = useRef(kept?.spaces ?? []).current;
  const seen = useRef({ page: kept?.first, displaced: kept?.displaced ?? [] });
  if (isCurrent && first && seen.current.page !== first) {
    const { page, displaced } = seen.current;
    const moved = page && pages.length > 0 ? displacedLinks(page.data, first.data) : [];
    seen.current = { page: first, displaced: [...moved, ...displaced] };
  }
  useEffect(() => {
    if (!isCurrent || !first) return;
    const { displaced } = seen.current;
    keepList(entry, { key: JSON.stringify(filters), first, further: pages, last, displaced, spaces });
  });
  const next = (isCurrent && (last ?? first)?.meta.next_cursor) || undefined;
  const task = useTask(async () => {
    if (next === undefined) return;
    const page = await listLinks(workspace.value, { ...filters, cursor: next });
    setPages([...pages, page.data]);
    setLast(page);
  });
  /** What a change of these links makes of the ones that are not loaded again. */
  const apply = (ids: readonly string[], change: BulkChange) => {
    const changed = new Set(ids);
    const changeAll = (links: readonly Link[]) =>
      links.flatMap((link) => (changed.has(link.id) ? changedLink(link, change, filters) : [link]));
    setPages((current) => current.map(changeAll));
    seen.current = { ...seen.current, displaced: changeAll(seen.current.displaced) };
  };
  return {
    chunks: withoutRepeats([first?.data ?? [], seen.current.displaced, ...pages]),
    hasMore: next !== undefined,
    load: task.start,
    failure: task.failure,
    apply,
    spaces,
  };
}

/** Newer links push the last ones of the first page to the second, which was loaded before. */
function displacedLinks(before: readonly Link[], after: readonly Link[]): Link[] {
  const kept = new Set(after.map(({ id }) => id));
  const end = before.findLastIndex(({ id }) => kept.has(id));
  return before.slice(end + 1);
}

/** A link that has moved to an earlier page is shown there. */
function withoutRepeats(chunks: readonly (readonly Link[])[]): Link[][] {
  const shown = new Set<string>();
  return chunks
    .map((links) => links.filter(({ id }) => !shown.has(id) && shown.add(id)))
    .filter((links, index) => index === 0 || links.length > 0);
}

/** The link after the change; none when the filters no longer match. */
function changedLink(
  link: Link,
  { action, folder_id: folder, tag_ids: tagIds = [] }: BulkChange,
  filters: LinkFilters,
): Link[] {
  if (action === 'delete') return [];
  if (action === 'archive' || action === 'reactivate') {
    const status = action === 'archive' ? 'archived' : 'active';
    return filters.status === undefined || filters.status === status ? [{ ...link, status }] : [];
  }
  if (action === 'move') {
    return filters.folder_id === undefined || filters.folder_id === folder
      ? [{ ...link, folder_id: folder ?? null }]
      : [];
  }
  const others = link.tags.filter(({ id }) => !tagIds.includes(id));
  const added = (catalogue.value.tags ?? []).filter(({ id }) => action === 'add_tags' && tagIds.includes(id));
  return [{ ...link, tags: [...others, ...added] }];
}
