/** The part of a page that leads to the next one. */
interface Page<Item> {
  data: Item[];
  links?: { next: string | null };
  meta?: { next_cursor?: string | null; current_page?: number };
}

type NextPage = { cursor: string } | { page: number };

/**
 * Yields the items of all pages, one request at a time. Lists with a cursor are followed by it, so that items which are created
 * meanwhile do not shift the pages.
 * @param read reads the page with these parameters
 */
export async function* itemsOf<Item>(
  read: (next: NextPage | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  let next: NextPage | undefined;
  do {
    const page = await read(next);
    yield* page.data;
    next = nextOf(page);
  } while (next);
}

function nextOf({ links, meta }: Page<unknown>): NextPage | undefined {
  if (meta?.next_cursor !== undefined) return meta.next_cursor === null ? undefined : { cursor: meta.next_cursor };
  return links?.next ? { page: (meta?.current_page ?? 1) + 1 } : undefined;
}
