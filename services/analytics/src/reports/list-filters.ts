import { z } from 'zod';
import { cursorInvalid } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { LinkSearch, LinkStore } from '../links/link-store.js';
import type { Link } from '../links/link.js';
import type { RetentionStore } from '../retention/retention-store.js';
import type { WarehouseReader } from '../warehouse/query/reader.js';

const time = z.number().int().min(0).max(8.64e15);
/** Where the next page continues; `null` for a list that has ended. */
const filterPosition = z.object({
  links: z.object({ readAt: time, id: z.string(), scannedAt: time.nullable(), after: z.string() }).nullable(),
  campaigns: z.string().nullable(),
});
type FilterPosition = z.infer<typeof filterPosition>;

const LINKS_MAX = 1000;
const CAMPAIGNS_MAX = 1000;
/** A majority read sees every change committed at least this long ago. */
const VISIBLE_AFTER_MS = 5000;

export interface FiltersContext {
  db: Database;
  links: LinkStore;
  retention: RetentionStore;
  reader: WarehouseReader;
}

export interface FiltersQuery {
  search?: string;
  cursor?: string;
}

interface FilterPage {
  links: Link[];
  campaigns: string[];
  nextCursor: string | null;
}

interface FilterList<T, P extends keyof FilterPosition> {
  items: T[];
  next: FilterPosition[P];
}

/**
 * Lists the values for the link and campaign filters; campaigns come from links and from scans. The first page has the
 * most recently scanned links; its cursor leads to the others, in an order that new scans do not change.
 */
export async function listFilters(ctx: FiltersContext, workspace: string, query: FiltersQuery): Promise<FilterPage> {
  const { search, cursor } = query;
  const position = cursor === undefined ? undefined : decodeFilterCursor(cursor);
  const [links, campaigns] = await Promise.all([
    position ? nextLinks(ctx, { workspace, search }, position.links) : latestLinks(ctx, { workspace, search }),
    nextCampaigns(ctx, { workspace, search }, position ? position.campaigns : ''),
  ]);
  const nextCursor = encodeFilterCursor({ links: links.next, campaigns: campaigns.next });
  return { links: links.items, campaigns: campaigns.items, nextCursor };
}

async function latestLinks(
  { db, links }: FiltersContext,
  { workspace, search }: LinkSearch,
): Promise<FilterList<Link, 'links'>> {
  const readAt = (await db.now()).getTime() - VISIBLE_AFTER_MS;
  const found = await links.latestScannedLinks({ workspace, search }, LINKS_MAX + 1);
  const items = found.slice(0, LINKS_MAX);
  if (found.length <= LINKS_MAX) return { items, next: null };
  const { _id: id, lastScannedAt } = items.at(-1)!;
  return { items, next: { readAt, id, scannedAt: lastScannedAt?.getTime() ?? null, after: '' } };
}

async function nextLinks(
  { links }: FiltersContext,
  { workspace, search }: LinkSearch,
  position: FilterPosition['links'],
): Promise<FilterList<Link, 'links'>> {
  if (position === null) return { items: [], next: null };
  const { readAt, id, scannedAt, after } = position;
  const last = { _id: id, ...(scannedAt !== null && { lastScannedAt: new Date(scannedAt) }) };
  const rest = { readAt: new Date(readAt), last, afterId: after };
  const found = await links.remainingLinks({ workspace, search }, rest, LINKS_MAX + 1);
  const items = found.slice(0, LINKS_MAX);
  return { items, next: found.length > LINKS_MAX ? { ...position, after: items.at(-1)!._id } : null };
}

async function nextCampaigns(
  { links, retention, reader }: FiltersContext,
  { workspace, search }: LinkSearch,
  after: string | null,
): Promise<FilterList<string, 'campaigns'>> {
  if (after === null) return { items: [], next: null };
  const limit = CAMPAIGNS_MAX + 1;
  const keptFrom = await retention.keptFrom(workspace);
  const lists = await Promise.all([
    links.listCampaigns(workspace, { after, search, max: limit }),
    reader.listCampaigns({ workspace, keptFrom, after, search, limit }),
  ]);
  const found = [...new Set(lists.flat())].sort(byBytes);
  const items = found.slice(0, CAMPAIGNS_MAX);
  return { items, next: found.length > CAMPAIGNS_MAX ? items.at(-1)! : null };
}

/** Compares strings like both databases, so that both lists continue after the same campaign. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export function presentFilterLink({ _id, shortCode, title }: Link) {
  return { id: _id, short_code: shortCode, title };
}

function encodeFilterCursor(value: FilterPosition): string | null {
  if (value.links === null && value.campaigns === null) return null;
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws AppError `validation_failed` for text that is not a cursor of this list */
function decodeFilterCursor(cursor: string): FilterPosition {
  try {
    return filterPosition.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw invalid({ cursor: [cursorInvalid()] });
  }
}
