import { segmentOf, type Kind } from './segments.js';
import type { Appearance, Traits } from './traits.js';

type Span = Pick<Appearance, 'first' | 'last'>;
type Count = (segment: number, span: Span, by: 1 | -1) => void;

/**
 * What a visitor who appeared so counts for, segment by segment. All appearances are on one device: it comes from the
 * user agent, which is a part of who the visitor is.
 */
export function countVisitor(appearances: readonly Appearance[], count: Count): void {
  const people = appearances.filter(({ isBot }) => !isBot);
  countKind(people, 'people', 1, count);
  if (people.length === appearances.length) return;
  countKind(appearances, 'bots', 1, count);
  countKind(people, 'bots', -1, count);
}

function countKind(appearances: readonly Appearance[], kind: Kind, by: 1 | -1, count: Count): void {
  const [some] = appearances;
  if (!some) return;
  const [link, qr] = [spanOf(appearances, 'link'), spanOf(appearances, 'qr')];
  if (link) count(segmentOf(some.device, 'link', kind), link, by);
  if (qr) count(segmentOf(some.device, 'qr', kind), qr, by);
  if (!link || !qr) return;
  const both = segmentOf(some.device, 'both', kind);
  count(both, { first: Math.min(link.first, qr.first), last: Math.max(link.last, qr.last) }, by);
  for (const span of [link, qr]) count(both, span, by === 1 ? -1 : 1);
}

function spanOf(appearances: readonly Appearance[], trigger: Traits['trigger']): Span | undefined {
  const of = appearances.filter((appearance) => appearance.trigger === trigger);
  if (of.length === 0) return undefined;
  return { first: Math.min(...of.map(({ first }) => first)), last: Math.max(...of.map(({ last }) => last)) };
}
