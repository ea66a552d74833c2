import type { Verdicts } from '../destinations/destination-checker.js';
import type { Block } from './block.js';
import { destinationsOf, type LinkDestinations } from './destinations.js';

interface BlockCauses {
  /** Returns the reason for which a destination is blocked in this installation; `null` if it is not. */
  reasonFor: (url: string) => string | null;
  /** What the checker says of the destinations; `null` where it was not asked. */
  verdicts: Verdicts | null;
}

/**
 * Returns the block that a link has for its destinations, `null` for none, or `undefined` if its present state stays:
 * an operator's block stays, and the checker's as long as not every verdict is known.
 */
export function blockFor(
  link: LinkDestinations & { blocked?: Block | null },
  { reasonFor, verdicts }: BlockCauses,
): Block | null | undefined {
  const by = link.blocked?.by;
  if (by === 'operator') return undefined;
  const urls = destinationsOf(link).map(({ url }) => url);
  const listed = urls.map(reasonFor).find((reason) => reason !== null);
  if (listed !== undefined)
    return by === 'destination' ? undefined : { at: new Date(), reason: listed, by: 'destination' };
  const checked = urls.map((url) => verdicts?.get(url));
  const harmful = checked.find((verdict) => verdict && verdict.reason !== null);
  if (harmful) return by === 'checker' ? undefined : { at: new Date(), reason: harmful.reason!, by: 'checker' };
  if (by === 'destination') return null;
  return by === 'checker' && !checked.includes(undefined) ? null : undefined;
}
