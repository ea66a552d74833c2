import fc from 'fast-check';
import type { ConversionDimension, Interval } from '@waymark/contract/analytics';
import { newId } from '@waymark/contract/ids';
import type { Conversion } from '@waymark/analytics/conversions/conversion';
import type { Filter, FilterName, ScanQuery } from '@waymark/analytics/warehouse/query/scan-query';
import { groupBy, isListed, linkValuesOf, LocalClock, pointNameOf, type NaiveLinks } from './naive.js';

export const SOURCES = ['shop', 'all', "it's, \\ !{p0:String}"];
/** Digits after the point that a sum keeps. */
const SCALE = 20;

/** Values as callers send them: prices, whole numbers up to the largest, any fraction, and refunds of 0.1.0. */
const valueArbitrary = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
  fc.integer({ min: -500, max: -1 }).map((cents) => cents / 100),
);

/** Generates what a conversion has besides its id, link and campaign. */
export const conversionArbitrary = fc.record({
  source: fc.constantFrom(...SOURCES),
  value: fc.option(valueArbitrary, { freq: 4 }),
  // 0.1.0 accepted a value without a currency, and every version accepts a currency without a value.
  currency: fc.option(fc.constantFrom('EUR', 'JPY', 'USD'), { freq: 6 }),
});

export function conversionOf(given: Partial<Conversion> & Pick<Conversion, 'workspace' | 'occurredAt'>): Conversion {
  const { occurredAt } = given;
  return {
    _id: newId('cnv'),
    status: 'recorded',
    linkId: 'lnk_a',
    shortCode: 'code',
    campaign: null,
    source: 'shop',
    meta: null,
    value: null,
    currency: null,
    externalId: null,
    recordedAt: occurredAt,
    updatedAt: occurredAt,
    ...given,
  };
}

type NaiveQuestion = Pick<ScanQuery, 'workspace' | 'firstDate' | 'lastDate' | 'timeZone'> & {
  filters: readonly Filter[];
};

/** Computes the figures of conversions one by one, directly from the documented rules. */
export class NaiveConversions {
  private readonly clock: LocalClock;
  readonly selected: Conversion[];

  constructor(
    conversions: readonly Conversion[],
    private readonly question: NaiveQuestion,
    private readonly links: NaiveLinks,
  ) {
    this.clock = new LocalClock(question.timeZone);
    this.selected = conversions.filter((conversion) => this.matches(conversion));
  }

  /** The number of conversions of each point that has some, by its key in the warehouse. */
  points(interval: Interval): Map<string, number> {
    const found = groupBy(this.selected, ({ occurredAt }) => pointNameOf(this.clock, occurredAt, interval));
    return new Map([...found].map(([key, conversions]) => [key, conversions.length]));
  }

  get sums() {
    return sumsOf(this.selected);
  }

  breakdown(dimension: ConversionDimension) {
    return [...groupBy(this.selected, (conversion) => this.valuesOf(conversion, dimension)[0]!)]
      .map(([value, conversions]) => ({
        value,
        conversions: conversions.length,
        share: conversions.length / this.selected.length,
        conversion_values: sumsOf(conversions),
      }))
      .sort((a, b) => b.conversions - a.conversions || (a.value < b.value ? -1 : 1));
  }

  private matches(conversion: Conversion): boolean {
    const { workspace, firstDate, lastDate, filters } = this.question;
    const { date } = this.clock.at(conversion.occurredAt.getTime());
    if (conversion.workspace !== workspace || date < firstDate || date > lastDate) return false;
    return filters.every(({ name, ...list }) => isListed(this.valuesOf(conversion, name), list));
  }

  private valuesOf(conversion: Conversion, name: FilterName): string[] {
    if (name === 'link') return [conversion.linkId!];
    if (name === 'campaign') return [conversion.campaign ?? 'none'];
    if (name === 'source') return [conversion.source];
    if (name !== 'domain' && name !== 'tag' && name !== 'folder') throw new TypeError(`a conversion has no ${name}`);
    return linkValuesOf(this.links[conversion.linkId!], name);
  }
}

/** The currency of the most conversions first, then by its code. */
function sumsOf(conversions: readonly Conversion[]): { currency: string; value: number }[] {
  const valued = conversions.filter(({ value, currency }) => value !== null && currency !== null);
  return [...groupBy(valued, ({ currency }) => currency!)]
    .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .map(([currency, those]) => ({ currency, value: decimalSum(those.map(({ value }) => value!)) }));
}

/** Adds up the numbers as they are written, and rounds the sum to the nearest number. */
export function decimalSum(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + scaled(value), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(SCALE + 1, '0');
  return Number(`${sum < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`);
}

function scaled(value: number): bigint {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))!;
  const power = SCALE + Number(exponent) - fraction.length;
  const digits = BigInt(`${whole}${fraction}`);
  const magnitude = power >= 0 ? digits * 10n ** BigInt(power) : digits / 10n ** BigInt(-power);
  return sign === '-' ? -magnitude : magnitude;
}
