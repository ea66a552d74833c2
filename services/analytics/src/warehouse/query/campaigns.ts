import { selectScans } from './scan-query.js';
import { bind, sql, type Sql } from './sql.js';

/** A page of the campaigns of a workspace's scans, in byte order. */
export interface CampaignsPage {
  workspace: string;
  keptFrom: Date | null;
  after: string;
  /** Text contained in the campaign, case-insensitive. */
  search?: string;
  limit: number;
}

/** Covers every scan: none is older or newer. */
const ALL_DATES = { firstDate: '2000-01-01', lastDate: '2100-01-01', timeZone: 'UTC' };

export function campaignsSql({ workspace, keptFrom, after, search, limit }: CampaignsPage): Sql {
  const all = { workspace, keptFrom, ...ALL_DATES, filters: [], includeBots: true };
  const isFound =
    search === undefined ? sql`` : sql` AND position(lowerUTF8(campaign), lowerUTF8(${bind.text(search)})) > 0`;
  return sql`${selectScans(all, sql`DISTINCT campaign`)} AND campaign > ${bind.text(after)}${isFound}
    ORDER BY campaign LIMIT ${bind.count(limit)}`;
}
