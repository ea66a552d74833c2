import { DAY_MS } from '../time/utc-day.js';
import { dayPrefix } from './cell-id.js';
import { utcDayOf, type Countable } from './countable.js';
import { QUARTERS_PER_DAY } from './rows.js';
import { Tally } from './tally.js';
import type { Appearance, CountedScan } from './traits.js';
import { visitorDayId, withScan } from './visitor-days.js';
import { DIMENSIONS, type Vocabulary } from './vocabulary.js';
import { vocabularyId } from './vocabulary-store.js';

const QUARTER_MS = DAY_MS / QUARTERS_PER_DAY;

/** What is to be added to the cells of one workspace and UTC day. */
export interface DayTally {
  workspace: string;
  day: number;
  tally: Tally;
  /** The newest of the scans. */
  asOf: Date;
}

export interface Tallied {
  days: DayTally[];
  /** The visitors of whom something new is known, by id. */
  visitors: Map<string, Appearance[]>;
}

export const vocabularyOf = (scan: Countable): string => vocabularyId(scan.workspace, utcDayOf(scan));

export function visitorDayOf(scan: Countable): string | null {
  return scan.visitor === null ? null : visitorDayId(scan.workspace, utcDayOf(scan), scan.visitor);
}

/** Finds out what scans add to what is already counted; `known` tells how their visitors have appeared before. */
export class ScanTally {
  private readonly days = new Map<string, DayTally>();
  private readonly visitors = new Map<string, { of: DayTally; appearances: Appearance[] }>();

  constructor(
    private readonly vocabularies: ReadonlyMap<string, Vocabulary>,
    private readonly known: ReadonlyMap<string, Appearance[]> = new Map(),
  ) {}

  add(scan: Countable): void {
    const of = this.dayOf(scan);
    const counted = countedScan(scan, this.vocabularies.get(vocabularyOf(scan))!);
    of.tally.addScan(counted);
    const id = visitorDayOf(scan);
    if (id === null) return;
    const appearances = this.visitors.get(id)?.appearances ?? this.known.get(id) ?? [];
    this.visitors.set(id, { of, appearances: withScan(appearances, counted) });
  }

  /** To be asked for once, at the end. */
  result(): Tallied {
    const changed = new Map<string, Appearance[]>();
    for (const [id, { of, appearances }] of this.visitors) {
      const before = this.known.get(id) ?? [];
      if (appearances === before) continue;
      of.tally.addVisitor(before, appearances);
      changed.set(id, appearances);
    }
    return { days: [...this.days.values()], visitors: changed };
  }

  private dayOf(scan: Countable): DayTally {
    const { workspace, scannedAt } = scan;
    const day = utcDayOf(scan);
    const key = dayPrefix(workspace, day);
    let of = this.days.get(key);
    if (!of) this.days.set(key, (of = { workspace, day, tally: new Tally(DIMENSIONS.length), asOf: scannedAt }));
    if (scannedAt > of.asOf) of.asOf = scannedAt;
    return of;
  }
}

function countedScan(scan: Countable, vocabulary: Vocabulary): CountedScan {
  const { linkId, campaign, trigger, isBot, device, visitor, scannedAt } = scan;
  return {
    linkId,
    campaign,
    campaignId: vocabulary.idOf('campaign', campaign),
    trigger,
    isBot,
    device,
    values: DIMENSIONS.map((dimension) => vocabulary.idOf(dimension, scan[dimension])),
    visitor,
    quarter: Math.floor((scannedAt.getTime() - utcDayOf(scan) * DAY_MS) / QUARTER_MS),
  };
}
