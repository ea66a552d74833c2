import {
  destinationIsBlocked,
  destinationIsPrivate,
  type FieldProblems,
  type Problem,
} from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import { isPrivateHost } from '@waymark/kernel/http/private-hosts';
import type { BlockedDestinations } from '../destinations/blocked-destinations.js';
import type { DestinationChecker, Verdicts } from '../destinations/destination-checker.js';
import { blockFor } from './block-for.js';
import type { Change } from './change.js';
import { destinationsIn, newDestinations, type Destination, type DestinationInput } from './destinations.js';
import type { Link } from './link.js';

/** Decides where new links, and changed destinations, may lead. */
export interface DestinationRules {
  blocked: Pick<BlockedDestinations, 'reasonFor'>;
  /** `null` unless the operator has set one. */
  checker: Pick<DestinationChecker, 'check'> | null;
  allowsPrivate: boolean;
}

interface RulesContext {
  destinationRules: DestinationRules;
}

/** Asks the checker about the destinations of bodies. Call it outside of transactions: it may take seconds. */
export async function askChecker(
  { destinationRules: { checker } }: RulesContext,
  bodies: readonly DestinationInput[],
): Promise<Verdicts | null> {
  if (!checker) return null;
  return checker.check(bodies.flatMap(destinationsIn).map(({ url }) => url));
}

/** Returns the problems of the destinations of a new link that need no checker. */
export const bodyProblems = ({ destinationRules }: RulesContext, body: DestinationInput): FieldProblems =>
  problemsOf(destinationRules, destinationsIn(body), null);

/** Returns the problems of the destinations that a change gives to a link; those that it had stay. */
export function changeProblems(
  { destinationRules }: RulesContext,
  { before, after }: Change & { after: Link },
  verdicts: Verdicts | null,
): FieldProblems {
  return problemsOf(destinationRules, newDestinations(before, after), verdicts);
}

/**
 * Returns the link as it is saved: one whose new destinations the checker has not answered about is checked later, and a
 * block ends that an earlier destination was the cause of.
 * @throws AppError `validation_failed`
 */
export function admitDestinations(
  ctx: RulesContext,
  change: Change & { after: Link },
  verdicts: Verdicts | null,
): Link {
  const problems = changeProblems(ctx, change, verdicts);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const { before, after } = change;
  const added = newDestinations(before, after);
  if (added.length === 0) return after;
  const { blocked } = ctx.destinationRules;
  const isFree = blockFor(after, { reasonFor: (url) => blocked.reasonFor(url), verdicts }) === null;
  const isBlocked = !isFree && after.blocked != null && after.blocked.by !== 'operator';
  const isPending = isBlocked || (verdicts !== null && added.some(({ url }) => !verdicts.has(url)));
  return {
    ...after,
    ...(isFree && { blocked: null }),
    ...((isPending || after.checkPending) && { checkPending: isPending }),
  };
}

function problemsOf(rules: DestinationRules, added: readonly Destination[], verdicts: Verdicts | null): FieldProblems {
  const problems = added.map((destination) => [destination.field, problemOf(rules, destination, verdicts)] as const);
  return Object.fromEntries(problems.flatMap(([field, problem]) => (problem ? [[field, [problem]]] : [])));
}

function problemOf(
  { blocked, allowsPrivate }: DestinationRules,
  { field, url }: Destination,
  verdicts: Verdicts | null,
): Problem | null {
  if (!allowsPrivate && isPrivateHost(URL.parse(url)?.hostname ?? '')) return destinationIsPrivate(field);
  const isHarmful = (verdicts?.get(url)?.reason ?? null) !== null;
  return isHarmful || blocked.reasonFor(url) !== null ? destinationIsBlocked(field) : null;
}
