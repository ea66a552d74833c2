import type { Link, listLinks } from '../../api/links.js';
import { entryId } from '../../app/history-entries.js';

export type LinkPage = Awaited<ReturnType<typeof listLinks>>;

/** The pages of a list that were loaded. */
export interface KeptList {
  /** Its filters. */
  key: string;
  first: LinkPage;
  further: readonly Link[][];
  /** The last of the further pages. */
  last: LinkPage | undefined;
  /** Links that newer ones have pushed off the first page. */
  displaced: Link[];
  /** The heights of the chunks that are too far away to be drawn. */
  spaces: (number | undefined)[];
}

const LISTS_MAX = 5;
/** By the entry of the browser's history, so that Back shows the list as it was left. */
const lists = new Map<number, KeptList>();

export function keepList(entry: number, list: KeptList): void {
  lists.delete(entry);
  lists.set(entry, list);
  for (const id of lists.keys()) if (lists.size > LISTS_MAX) lists.delete(id);
}

/** Returns the list that the current entry showed with these filters. */
export function readKeptList(key: string): KeptList | undefined {
  const list = lists.get(entryId());
  return list?.key === key ? list : undefined;
}

/** Replaces a link by a newer version: lists reload only their first page. */
export const refreshKeptLink = (link: Link): void =>
  changeKeptLists((links) => links.map((each) => (each.id === link.id ? link : each)));

/** Removes a link that was deleted. */
export const removeKeptLink = (id: string): void => changeKeptLists((links) => links.filter((each) => each.id !== id));

function changeKeptLists(change: (links: readonly Link[]) => Link[]): void {
  for (const [entry, list] of lists) {
    const { first, further, displaced } = list;
    lists.set(entry, {
      ...list,
      first: { ...first, data: change(first.data) },
      further: further.map(change),
      displaced: change(displaced),
    });
  }
}
