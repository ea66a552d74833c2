import type { OptionalPage } from '@waymark/contract/common';
import type { RequestedPage } from '../mongo/list-cursor.js';
import type { Content } from './content.js';
import type { CursorPage, Page, PageOf } from '../mongo/page.js';

/** A handler's answer; the status comes from its row of the route table unless it is set here. */
export interface Reply {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent in place of `body`, of the type that the headers say. */
  content?: Content;
  /** The limit on the streams of its kind, of which `content` is one; `exports` by default. */
  streamLimit?: 'exports' | 'verifications';
  status?: number;
  headers?: Record<string, string>;
}

export const item = (data: unknown, meta?: Record<string, unknown>): Reply => ({
  body: { data, ...(meta && { meta }) },
});

/** Answers with a new item, available at `location`, below the caller's own prefix. */
export const created = (data: unknown, location: URL | null, meta?: Record<string, unknown>): Reply => ({
  ...item(data, meta),
  headers: location === null ? {} : { Location: location.href },
});

export const noContent = (): Reply => ({});

export interface FileOptions {
  /** With its charset where it is text. */
  type: string;
  /** Plain ASCII without quotes. */
  name: string;
  /** `inline` to show the file; a download by default. */
  disposition?: 'inline' | 'attachment';
}

/** A file that is not JSON. */
export const file = (content: Content, { type, name, disposition = 'attachment' }: FileOptions): Reply => ({
  content,
  headers: {
    'Content-Type': type,
    'Content-Disposition': `${disposition}; filename="${name}"`,
    'X-Content-Type-Options': 'nosniff',
  },
});

export interface PageRequest {
  page: Page;
  /** The address that the links to further pages are made of. */
  url: URL;
}

const PER_PAGE = 15;

/**
 * Answers with the page that the query names. If it names none, answers with the list up to `max` items;
 * `meta.truncated` then marks a longer list.
 */
export async function listOrPage<T>(
  { query: { page, per_page: perPage }, url, max }: { query: OptionalPage; url: URL; max: number },
  find: (page: Page) => Promise<PageOf<T>>,
): Promise<Reply> {
  if (page === undefined && perPage === undefined) {
    const { items, total } = await find({ page: 1, perPage: max });
    return item(items, items.length === max && total > max ? { truncated: true, total } : undefined);
  }
  const requested = { page: page ?? 1, perPage: perPage ?? PER_PAGE };
  return paginated(await find(requested), { page: requested, url });
}

/** Maps the items of a page. */
export const mapPage = <T, U>({ items, total }: PageOf<T>, present: (item: T) => U): PageOf<U> => ({
  items: items.map(present),
  total,
});

/**
 * A page in the shape of Laravel's length-aware paginator; links keep the caller's other query parameters.
 * @param meta further fields of the answer's `meta`
 */
export function paginated<T>(result: PageOf<T>, { page: requested, url }: PageRequest, meta: object = {}): Reply {
  const { page, perPage } = requested;
  const lastPage = Math.max(1, Math.ceil(result.total / perPage));
  const link = (to: number) => {
    const target = new URL(url);
    target.searchParams.set('page', String(to));
    return target.href;
  };
  const offset = (page - 1) * perPage;
  const isEmpty = result.items.length === 0;
  return {
    body: {
      data: result.items,
      links: {
        first: link(1),
        last: link(lastPage),
        prev: page > 1 ? link(Math.min(page - 1, lastPage)) : null,
        next: page < lastPage ? link(page + 1) : null,
      },
      meta: {
        current_page: page,
        from: isEmpty ? null : offset + 1,
        last_page: lastPage,
        path: url.origin + url.pathname,
        per_page: perPage,
        to: isEmpty ? null : offset + result.items.length,
        total: result.total,
        ...meta,
      },
    },
  };
}

/** A page of a list that is read by number or by cursor. */
export function cursorPage<T>(
  { items, total, truncated, page, nextCursor }: CursorPage<T>,
  { perPage, cursor }: RequestedPage,
  url: URL,
): Reply {
  const meta = { truncated, next_cursor: nextCursor };
  const paginate = cursor === undefined ? paginated : cursorPaginated;
  return paginate({ items, total }, { page: { page, perPage }, url }, meta);
}

/** Answers with a page that was read by cursor: its links lead forward only. */
export function cursorPaginated<T>(
  result: PageOf<T>,
  { page, url }: PageRequest,
  meta: { next_cursor: string | null },
): Reply {
  const [first, next] = [new URL(url), new URL(url)];
  first.searchParams.delete('cursor');
  next.searchParams.set('cursor', meta.next_cursor ?? '');
  const { body, ...reply } = paginated(result, { page, url: first }, meta);
  const { links, ...answer } = body as { links: object };
  return {
    ...reply,
    body: { ...answer, links: { ...links, prev: null, next: meta.next_cursor === null ? null : next.href } },
  };
}
