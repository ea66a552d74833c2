import { campaignScope, linkScope, type Scope } from './cell-id.js';
import { grouped } from './grouped.js';
import { presenceOf, type Presence } from './presence.js';
import { RowSums } from './row-sums.js';
import { rowKey, type Rows } from './rows.js';
import { segmentOf } from './segments.js';
import type { Appearance, CountedScan } from './traits.js';

/** In a link's cells rows are kept by campaign; under this id, what its campaigns count twice is taken back. */
const ACROSS_CAMPAIGNS = 0;

type Add = (appearances: readonly Appearance[], sign: 1 | -1) => void;

/** What is to be added to the cells of one workspace and UTC day. */
export class Tally {
  private readonly ofWorkspace: RowSums;
  private readonly ofCampaigns = new Map<string, RowSums>();
  private readonly ofLinks = new Map<string, RowSums>();

  constructor(private readonly dimensions: number) {
    this.ofWorkspace = new RowSums(dimensions);
  }

  addScan({ linkId, campaign, campaignId, trigger, isBot, device, values, quarter }: CountedScan): void {
    const segment = segmentOf(device, trigger, isBot ? 'bots' : 'people');
    const ofCampaign = campaign === null ? undefined : this.sumsIn(this.ofCampaigns, campaign);
    const ofLink = this.sumsIn(this.ofLinks, linkId);
    values.forEach((value, dimension) => {
      const key = rowKey(0, value, segment, quarter);
      this.ofWorkspace.addScan(dimension, key);
      ofCampaign?.addScan(dimension, key);
      ofLink.addScan(dimension, rowKey(campaignId, value, segment, quarter));
    });
  }

  /** Counts a visitor as they are known to have appeared on this day, in place of how they were known before. */
  addVisitor(before: readonly Appearance[], now: readonly Appearance[]): void {
    replace(before, now, (of, sign) => addPresence(this.ofWorkspace, 0, of, sign));
    for (const [campaign, was, is] of changedGroups(before, now, (each) => each.campaign)) {
      if (campaign === null) continue;
      const sums = this.sumsIn(this.ofCampaigns, campaign);
      replace(was, is, (of, sign) => addPresence(sums, 0, of, sign));
    }
    for (const [linkId, was, is] of changedGroups(before, now, (each) => each.linkId)) {
      const sums = this.sumsIn(this.ofLinks, linkId);
      replace(was, is, (of, sign) => addToLink(sums, of, sign));
    }
  }

  /** For each scope, the rows of every dimension. */
  *scopes(): Generator<[Scope, Rows[]]> {
    yield ['workspace', this.ofWorkspace.rows];
    for (const [campaign, { rows }] of this.ofCampaigns) yield [campaignScope(campaign), rows];
    for (const [linkId, { rows }] of this.ofLinks) yield [linkScope(linkId), rows];
  }

  private sumsIn(scopes: Map<string, RowSums>, name: string): RowSums {
    let sums = scopes.get(name);
    if (!sums) scopes.set(name, (sums = new RowSums(this.dimensions)));
    return sums;
  }
}

/** Of each group in which something is new or gone, what was in it and what is. */
function* changedGroups<K>(
  before: readonly Appearance[],
  now: readonly Appearance[],
  keyOf: (appearance: Appearance) => K,
): Generator<[K, Appearance[], Appearance[]]> {
  const [known, left] = [new Set(before), new Set(now)];
  const changed = [...now.filter((each) => !known.has(each)), ...before.filter((each) => !left.has(each))];
  const [were, are] = [grouped(before, keyOf), grouped(now, keyOf)];
  for (const key of new Set(changed.map(keyOf))) yield [key, were.get(key) ?? [], are.get(key) ?? []];
}

function replace(before: readonly Appearance[], now: readonly Appearance[], add: Add): void {
  if (before.length > 0) add(before, -1);
  if (now.length > 0) add(now, 1);
}

function addToLink(sums: RowSums, appearances: readonly Appearance[], sign: 1 | -1): void {
  const campaigns = grouped(appearances, (each) => each.campaignId);
  for (const [campaignId, of] of campaigns) addPresence(sums, campaignId, of, sign);
  if (campaigns.size === 1) return;
  addPresence(sums, ACROSS_CAMPAIGNS, appearances, sign);
  for (const of of campaigns.values()) addPresence(sums, ACROSS_CAMPAIGNS, of, sign === 1 ? -1 : 1);
}

function addPresence(sums: RowSums, campaign: number, appearances: readonly Appearance[], sign: 1 | -1): void {
  const presence = presenceOf(appearances);
  appearances[0]!.values.forEach((value, dimension) => {
    if (appearances.every(({ values }) => values[dimension] === value)) {
      addVisits(sums, dimension, campaign, value, presence, sign);
      return;
    }
    for (const [each, of] of grouped(appearances, ({ values }) => values[dimension]!)) {
      addVisits(sums, dimension, campaign, each, presenceOf(of), sign);
    }
  });
}

function addVisits(
  sums: RowSums,
  dimension: number,
  campaign: number,
  value: number,
  presence: readonly Presence[],
  sign: 1 | -1,
): void {
  for (const { segment, first, last, by } of presence) {
    const key = rowKey(campaign, value, segment, 0);
    sums.addVisitor(dimension, key + first, key + last, by === sign ? 1 : -1);
  }
}
