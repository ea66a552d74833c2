import type { Link } from './link.js';

/** The fields of a link that say where visitors are sent, by their names in the API. */
export const DESTINATION_FIELDS = {
  destination_url: 'destinationUrl',
  expired_url: 'expiredUrl',
} as const satisfies Record<string, keyof Link>;

type DestinationField = keyof typeof DESTINATION_FIELDS;
/** A link with its destinations at least. */
export type LinkDestinations = Pick<Link, (typeof DESTINATION_FIELDS)[DestinationField]>;
/** A body that may have destinations. */
export type DestinationInput = Partial<Record<DestinationField, string | null>>;

export interface Destination {
  field: string;
  url: string;
}

const FIELDS = Object.entries(DESTINATION_FIELDS) as [
  DestinationField,
  (typeof DESTINATION_FIELDS)[DestinationField],
][];

export const destinationsOf = (link: LinkDestinations): Destination[] =>
  FIELDS.flatMap(([field, name]) => toDestination(field, link[name]));

export const destinationsIn = (body: DestinationInput): Destination[] =>
  FIELDS.flatMap(([field]) => toDestination(field, body[field]));

/** Returns the destinations that `before` does not have. */
export function newDestinations(before: LinkDestinations | null, after: LinkDestinations): Destination[] {
  const known = new Set(before && destinationsOf(before).map(({ url }) => url));
  return destinationsOf(after).filter(({ url }) => !known.has(url));
}

const toDestination = (field: string, url: string | null | undefined): Destination[] => (url ? [{ field, url }] : []);
