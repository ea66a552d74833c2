import { campaignScope, linkScope, type Scope } from './cell-id.js';
import { grouped } from './grouped.js';
import { countVisitor } from './presence.js';
import { increase, noRows, rowKey, type Rows } from './rows.js';
import { segmentOf } from './segments.js';
import type { Appearance, CountedScan } from './traits.js';

/** In a link's cells rows are kept by campaign; under this id, what its campaigns count twice is taken back. */
const ACROSS_CAMPAIGNS = 0;

/** What is to be added to the cells of one workspace and UTC day: for each scope, the rows of every dimension. */
export class Tally {
  readonly scopes = new Map<Scope, Rows[]>();

  constructor(private readonly dimensions: number) {}

  addScan({ linkId, campaign, campaignId, trigger, isBot, device, values, quarter }: CountedScan): void {
    const segment = segmentOf(device, trigger, isBot ? 'bots' : 'people');
    const add = (scope: Scope, inCampaign: number) => {
      this.rowsOf(scope).forEach((rows, dimension) => {
        increase(rows, rowKey(inCampaign, values[dimension]!, segment, quarter), { scans: 1 });
      });
    };
    add('workspace', 0);
    if (campaign !== null) add(campaignScope(campaign), 0);
    add(linkScope(linkId), campaignId);
  }

  /** Counts a visitor who appeared so on this day, or takes back (-1) what was counted when less was known. */
  addVisitor(appearances: readonly Appearance[], by: 1 | -1): void {
    this.addPresence('workspace', 0, appearances, by);
    for (const [campaign, of] of grouped(appearances, (each) => each.campaign)) {
      if (campaign !== null) this.addPresence(campaignScope(campaign), 0, of, by);
    }
    for (const [linkId, of] of grouped(appearances, (each) => each.linkId)) this.addToLink(linkId, of, by);
  }

  private addToLink(linkId: string, appearances: readonly Appearance[], by: 1 | -1): void {
    const scope = linkScope(linkId);
    const campaigns = grouped(appearances, (each) => each.campaignId);
    for (const [campaignId, of] of campaigns) this.addPresence(scope, campaignId, of, by);
    if (campaigns.size === 1) return;
    this.addPresence(scope, ACROSS_CAMPAIGNS, appearances, by);
    for (const of of campaigns.values()) this.addPresence(scope, ACROSS_CAMPAIGNS, of, by === 1 ? -1 : 1);
  }

  private addPresence(scope: Scope, campaign: number, appearances: readonly Appearance[], by: 1 | -1): void {
    this.rowsOf(scope).forEach((rows, dimension) => {
      for (const [value, of] of grouped(appearances, ({ values }) => values[dimension]!)) {
        countVisitor(of, (segment, { first, last }, sign) => {
          increase(rows, rowKey(campaign, value, segment, first), { firsts: by * sign });
          increase(rows, rowKey(campaign, value, segment, last), { lasts: by * sign });
        });
      }
    });
  }

  private rowsOf(scope: Scope): Rows[] {
    let rows = this.scopes.get(scope);
    if (!rows) this.scopes.set(scope, (rows = Array.from({ length: this.dimensions }, noRows)));
    return rows;
  }
}
