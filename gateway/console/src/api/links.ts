import { isQr } from '../config/config.js';
import { ownTimeZone } from '../format/dates.js';
import { api, send, sendTagged, type Schemas } from './client.js';
import { asFailure, type Failure } from './failure.js';
import { FOR_SPREADSHEETS } from './for-spreadsheets.js';

export type Link = Schemas['Link'];
export type LinkChange = Partial<
  Pick<
    Link,
    | 'destination_url'
    | 'title'
    | 'short_code'
    | 'campaign_tag'
    | 'status'
    | 'folder_id'
    | 'starts_at'
    | 'expires_at'
    | 'max_scans'
    | 'expired_url'
    | 'redirect_status'
    | 'query_policy'
    | 'forward_path'
  >
> & {
  domain_id?: string | null;
  tag_ids?: string[];
  utm_template_id?: string;
  utm_defaults?: Partial<Link['utm_defaults']>;
};

/** Links and QR codes have the same routes below different paths. */
const ITEMS = (
  isQr ? '/api/v1/workspaces/{workspace}/qr-codes' : '/api/v1/workspaces/{workspace}/links'
) as '/api/v1/workspaces/{workspace}/links';
const ITEM = `${ITEMS}/{id}` as '/api/v1/workspaces/{workspace}/links/{id}';

export interface LinkFilters {
  status?: string;
  availability?: string;
  search?: string;
  campaign?: string;
  folder_id?: string;
  tag_id?: string;
  domain_id?: string;
  sort?: string;
  cursor?: string;
}

/** Parameters that come from the address of the page, or that differ between deployments; the server checks them. */
const untyped = (params: object): object => params;

export const LINKS_PER_PAGE = 50;

export const listLinks = (workspace: string, filters: LinkFilters) =>
  send(api.GET(ITEMS, { params: { path: { workspace }, query: untyped({ ...filters, per_page: LINKS_PER_PAGE }) } }));

/** A repeated attempt with the same key creates no second link. */
export const createLink = (workspace: string, body: LinkChange & { destination_url: string }, key: string) =>
  send(
    api.POST(ITEMS, {
      params: { path: { workspace }, header: { 'Idempotency-Key': key } },
      body,
    }),
  );

/** The address of the CSV of the links that match; the browser downloads it with the session's cookie. */
export const exportAddress = (workspace: string, filters: LinkFilters): string =>
  `${ITEMS.replace('{workspace}', workspace)}/export?${new URLSearchParams({ ...filters, ...FOR_SPREADSHEETS }).toString()}`;

export const showLink = (workspace: string, id: string) =>
  sendTagged(api.GET(ITEM, { params: { path: { workspace, id } } }));

export const updateLink = (workspace: string, id: string, { body, tag }: { body: LinkChange; tag: string | null }) =>
  sendTagged(
    api.PATCH(ITEM, {
      params: { path: { workspace, id }, ...(tag !== null && { header: { 'If-Match': tag } }) },
      body,
    }),
  );

export const deleteLink = (workspace: string, id: string) =>
  send(api.DELETE(ITEM, { params: { path: { workspace, id } } }));

const IMAGE = `${ITEM}/${isQr ? 'image' : 'qr'}` as '/api/v1/workspaces/{workspace}/links/{id}/qr';
type ImageQuery = Record<string, string>;

/** The QR code as an SVG. */
export const drawQr = (workspace: string, id: string, query: ImageQuery & { format: 'svg' }): Promise<string> =>
  send(api.GET(IMAGE, { params: { path: { workspace, id }, query: untyped(query) }, parseAs: 'text' }));

/** The address of the image of the QR code; the browser downloads it with the session's cookie. */
export const qrAddress = (workspace: string, id: string, query: ImageQuery): string =>
  `${IMAGE.replace('{workspace}', workspace).replace('{id}', id)}?${new URLSearchParams(query).toString()}`;

export interface BulkChange {
  action: 'archive' | 'reactivate' | 'delete' | 'move' | 'add_tags' | 'remove_tags';
  folder_id?: string | null;
  tag_ids?: string[];
}
export interface BulkResult {
  id: string;
  status: number;
  error?: { code: string; message: string; details?: Record<string, unknown> };
}

/** What became of a change of several links. */
export interface BulkOutcome {
  /** One for each link that was tried, in their order. */
  results: BulkResult[];
  /** The reason why the links without a result were not tried. */
  failure?: Failure;
}

const BULK_IDS_MAX = 100;

/** Changes links by as few requests as possible; the first one that fails is the last. */
export async function changeLinks(workspace: string, ids: string[], change: BulkChange): Promise<BulkOutcome> {
  const path = `${ITEMS}/bulk` as '/api/v1/workspaces/{workspace}/links';
  const results: BulkResult[] = [];
  for (let start = 0; start < ids.length; start += BULK_IDS_MAX) {
    const part = { ids: ids.slice(start, start + BULK_IDS_MAX), ...change };
    const body = part as unknown as { destination_url: string };
    try {
      const answer = await send(api.POST(path, { params: { path: { workspace } }, body }));
      results.push(...(answer as unknown as { data: BulkResult[] }).data);
    } catch (error) {
      return { results, failure: asFailure(error) };
    }
  }
  return { results };
}

/** Scans of the last seven days by link, today last. */
export async function fetchWeeks(workspace: string, ids: string[]): Promise<Map<string, number[]>> {
  const path = `/api/v1/workspaces/{workspace}/analytics/${isQr ? 'qr-codes' : 'links'}`;
  const query = { ids: ids.join(), days: 7, timezone: ownTimeZone() };
  const answer = await send(
    api.GET(path as '/api/v1/workspaces/{workspace}/analytics/filters', {
      params: { path: { workspace }, query: untyped(query) },
    }),
  );
  const { data } = answer as unknown as { data: Record<string, { scans: number }[]> };
  return new Map(Object.entries(data).map(([id, days]) => [id, days.map(({ scans }) => scans)]));
}
