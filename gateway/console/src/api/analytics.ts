import { isQr } from '../config/config.js';
import { api, send } from './client.js';
import { FOR_SPREADSHEETS } from './for-spreadsheets.js';

export interface Money {
  currency: string;
  value: number;
}
export interface Figures {
  total_scans: number;
  unique_visitors: number;
  /** Absent in the deployment of QR codes; `null` under a filter that a conversion does not have. */
  conversions?: number | null;
  conversion_rate?: number | null;
  conversion_values?: Money[] | null;
  bot_scans: number;
}
export interface Counts {
  scans: number;
  unique_visitors: number;
  conversions?: number | null;
}
/** The counts are `null` for a point that begins after `data_as_of`. */
export interface TrendPoint extends Pick<Counts, 'conversions'> {
  scans: number | null;
  unique_visitors: number | null;
  date: string;
  starts_at: string;
  previous?: (Counts & { date: string; starts_at: string }) | null;
}
export type Interval = 'hour' | 'day' | 'week' | 'month';
interface SelectionMeta {
  start_date: string;
  end_date: string;
  timezone: string;
  data_as_of: string | null;
  rows_kept_from: string | null;
  unique_visitors_estimated: boolean;
}
export interface Summary {
  data: { kpis: Figures & { previous?: Figures }; trend: TrendPoint[] };
  meta: SelectionMeta & {
    interval: Interval;
    compared_with: { start_date: string; end_date: string } | null;
  };
}
export interface BreakdownRow {
  value: string;
  scans: number;
  share: number;
  short_code?: string | null;
  title?: string | null;
}
export interface Breakdowns {
  data: Record<string, BreakdownRow[] | undefined>;
  meta: SelectionMeta & { total: number; limit: number; truncated_dimensions: string[] };
}

/** Filters and the range, as the API takes them. */
export type Parameters = Record<string, string>;

const FOLDER = '/api/v1/workspaces/{workspace}/analytics';

/** The deployments differ in some of the parameters and figures, so that neither client describes both. */
const get = (path: 'summary' | 'breakdowns', workspace: string, query: Parameters): Promise<unknown> =>
  send(
    api.GET(`${FOLDER}/${path}` as `${typeof FOLDER}/filters`, {
      params: { path: { workspace }, query },
    }),
  );

export const fetchSummary = (workspace: string, query: Parameters) =>
  get('summary', workspace, query) as Promise<Summary>;

export const fetchBreakdowns = (workspace: string, query: Parameters & { dimensions: string }) =>
  get('breakdowns', workspace, query) as Promise<Breakdowns>;

/** The address of the scans as CSV; the browser downloads it with the session's cookie. */
export const scansAddress = (workspace: string, query: Parameters): string =>
  `/api/v1/workspaces/${workspace}/analytics/export?${new URLSearchParams({ ...query, ...FOR_SPREADSHEETS }).toString()}`;

/** The filter by one link or QR code. */
export const contentParameter = isQr ? 'qr_code_id' : 'link_id';

/** The routes' names in the deployment. */
export const analyticsRoute = (name: 'summary' | 'breakdowns' | 'export'): string =>
  `analytics.${isQr ? 'qr_' : ''}${name}`;
