import { CURRENCIES_MAX } from '@waymark/contract/analytics';

/** The sums of the values of conversions, in the order of an answer, with up to one more than it may have. */
export type ConversionSums = readonly [currency: string, value: number][];

export const presentSums = (sums: ConversionSums): { currency: string; value: number }[] =>
  sums.slice(0, CURRENCIES_MAX).map(([currency, value]) => ({ currency, value }));

export const isTruncated = (sums: ConversionSums): boolean => sums.length > CURRENCIES_MAX;
