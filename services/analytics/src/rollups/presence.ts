import { segmentOf, type Kind } from './segments.js';
import type { Appearance, Traits } from './traits.js';

type Span = Pick<Appearance, 'first' | 'last'>;

/** That a visitor counts in a segment, from a quarter-hour to another; or (-1) that they count once less. */
export interface Presence extends Span {
  segment: number;
  by: 1 | -1;
}

/**
 * What a visitor who appeared so counts for, segment by segment. All appearances are on one device: it comes from the
 * user agent, which is a part of who the visitor is.
 */
export function presenceOf(appearances: readonly Appearance[]): Presence[] {
  if (appearances.length === 1) return [ofOne(appearances[0]!)];
  const people = appearances.filter(({ isBot }) => !isBot);
  if (people.length === appearances.length) return ofKind(people, 'people', 1);
  return [...ofKind(people, 'people', 1), ...ofKind(appearances, 'bots', 1), ...ofKind(people, 'bots', -1)];
}

/** What the rest comes to for most visitors. */
function ofOne({ device, trigger, isBot, first, last }: Appearance): Presence {
  return { segment: segmentOf(device, trigger, isBot ? 'bots' : 'people'), first, last, by: 1 };
}

function ofKind(appearances: readonly Appearance[], kind: Kind, by: 1 | -1): Presence[] {
  const [some] = appearances;
  if (!some) return [];
  const presence: Presence[] = [];
  const [link, qr] = [spanOf(appearances, 'link'), spanOf(appearances, 'qr')];
  if (link) presence.push({ segment: segmentOf(some.device, 'link', kind), ...link, by });
  if (qr) presence.push({ segment: segmentOf(some.device, 'qr', kind), ...qr, by });
  if (!link || !qr) return presence;
  const segment = segmentOf(some.device, 'both', kind);
  const taken = by === 1 ? -1 : 1;
  presence.push({ segment, first: Math.min(link.first, qr.first), last: Math.max(link.last, qr.last), by });
  for (const span of [link, qr]) presence.push({ segment, ...span, by: taken });
  return presence;
}

function spanOf(appearances: readonly Appearance[], trigger: Traits['trigger']): Span | undefined {
  const of = appearances.filter((appearance) => appearance.trigger === trigger);
  if (of.length === 0) return undefined;
  return { first: Math.min(...of.map(({ first }) => first)), last: Math.max(...of.map(({ last }) => last)) };
}
