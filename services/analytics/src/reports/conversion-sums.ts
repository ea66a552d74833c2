import { CURRENCIES_MAX } from '@waymark/contract/analytics';

/** The sums of the values of conversions by currency. */
export interface ConversionSums {
  values: { currency: string; value: number }[];
  isTruncated: boolean;
}

/** Presents up to the maximum of the sums, in their order. */
export function presentSums(sums: readonly [currency: string, value: number][]): ConversionSums {
  const values = sums.slice(0, CURRENCIES_MAX).map(([currency, value]) => ({ currency, value }));
  return { values, isTruncated: sums.length > CURRENCIES_MAX };
}
