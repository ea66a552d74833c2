import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import { dayOf, type Day } from './days.js';
import type { Entry } from '../chain/entry.js';
import type { EntryFilter } from './entry-filter.js';

/** The facet that every entry has. */
export const ALL_ENTRIES = 'all';

/** Index keys of an entry, each with its day: one index serves every filter, independent of the length of the log. */
export function facetsOfEntry(entry: Entry): string[] {
  const { action, createdAt } = entry;
  const facets = [ALL_ENTRIES, `action:${action}`, `group:${groupOf(action)}`, ...actorFacetsOf(entry)];
  return facets.map((facet) => onDay(facet, dayOf(createdAt)));
}

export const onDay = (facet: string, day: Day): string => `${day} ${facet}`;

export const onAnyDay = (facet: string): RegExp => new RegExp(`^\\d{4}-\\d{2}-\\d{2} ${literalPattern(facet)}$`);

/** The ids and the e-mail address that identify an actor in a filter, case-insensitive. */
export function actorFacetsOf({ actor }: Entry): string[] {
  const names = [actor.id, actor.token_id, actor.email].filter((name) => name !== null);
  return [...new Set(names.map(actorFacet))];
}

export const actorFacet = (name: string): string => `actor:${name.toLowerCase()}`;

const ACTOR_ON_DAY = new RegExp(`^(\\d{4}-\\d{2}-\\d{2}) ${actorFacet('')}(.+)$`, 's');

/** Returns the facets of a row that may be damaged, without those that identify an actor. */
export const withoutActors = (facets: unknown): string[] =>
  [facets].flat().filter((facet) => typeof facet === 'string' && !facet.includes(` ${actorFacet('')}`)) as string[];

/** Returns the actors and their days that the facets of a row name. The row may be damaged. */
export const actorsOnDays = (facets: unknown): { day: Day; name: string }[] =>
  [facets].flat().flatMap((facet) => {
    const match = typeof facet === 'string' ? ACTOR_ON_DAY.exec(facet) : null;
    return match ? [{ day: match[1]!, name: match[2]! }] : [];
  });

/** Returns the one facet to search by; the database compares the other conditions for each entry. */
export function facetOfFilter({ action, group, actor }: EntryFilter): string {
  if (actor !== undefined) return actorFacet(actor);
  if (action !== undefined) return `action:${action}`;
  return group === undefined ? ALL_ENTRIES : `group:${group}`;
}

/** The part before the dot: `link` of `link.created`. */
export const groupOf = (action: string): string => action.slice(0, action.indexOf('.'));
