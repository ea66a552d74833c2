import { UTM_KEYS, type QueryPolicy, type UtmDefaults } from '@waymark/contract/links';
import { uriOf } from '@waymark/kernel/http/uri';
import { appendQuery, joinQuery, mergeQueries, parseQuery, sanitizeQuery, type Parameter } from './query.js';

/** A destination with its UTM defaults merged in, as one string: a list of its parameters would take ten times the memory. */
export interface Destination {
  /** The answer to a visitor without a query. */
  location: string;
  /** Where its query begins, with the `?`, and where the fragment begins. */
  queryStart: number;
  queryEnd: number;
  policy: QueryPolicy;
}

/** @returns null unless it is an http or https address: visitors are not sent anywhere else. */
export function parseDestination(
  destinationUrl: string,
  utmDefaults: UtmDefaults,
  policy: QueryPolicy,
): Destination | null {
  const url = safeLocation(destinationUrl);
  if (url === undefined) return null;
  const [beforeFragment, fragment] = splitAt(url, '#');
  const [beforeQuery, query] = splitAt(beforeFragment, '?');
  const defaults = UTM_KEYS.flatMap((name) => parameter(name, utmDefaults[name]));
  const merged = defaults.length === 0 ? query : queryOf(mergeQueries(parseQuery(query.slice(1)), defaults));
  const location = flatten(beforeQuery + merged + fragment);
  const queryStart = beforeQuery.length;
  return { location, queryStart, queryEnd: queryStart + merged.length, policy };
}

/** `qr`: whether the visitor's query says that a QR code was scanned. */
export interface RedirectLocation {
  location: string;
  qr: boolean;
}

const QR_MARK = 'qr=1';
/** Limits of the visitor's own parameters; those beyond either are ignored. */
const PASSED_ON_BYTES_MAX = 8 * 1024;
const PASSED_ON_MAX = 256;
/** Clients accept headers of 16 kB in total, the strictest proxies less. */
const LOCATION_BYTES_MAX = 14 * 1024;

/**
 * Passes on as much of the visitor's query as the policy of the link allows and as there is room for.
 * @param path to add to the destination's, in the form of `forwardedPath`; empty for none
 */
export function locationFor(destination: Destination, visitorQuery: string, path = ''): RedirectLocation {
  if (path !== '') return locationFor(withPath(destination, path), visitorQuery);
  const { location, queryStart, queryEnd, policy } = destination;
  if (visitorQuery === '') return { location, qr: false };
  const all = parseQuery(sanitizeQuery(truncateQuery(visitorQuery))).slice(0, PASSED_ON_MAX);
  const unmarked = all.filter(({ raw }) => raw !== QR_MARK);
  const qr = unmarked.length < all.length;
  const room = Math.min(PASSED_ON_BYTES_MAX, LOCATION_BYTES_MAX - location.length);
  const visitor = policy === 'drop' ? [] : parametersWithin(room, unmarked);
  if (visitor.length === 0) return { location, qr };
  const own = parseQuery(location.slice(queryStart + 1, queryEnd));
  const merged = policy === 'append' ? appendQuery(own, visitor) : mergeQueries(own, visitor);
  return { location: location.slice(0, queryStart) + queryOf(merged) + location.slice(queryEnd), qr };
}

function withPath({ location, queryStart, queryEnd, policy }: Destination, path: string): Destination {
  const [own, rest] = [location.slice(0, queryStart), location.slice(queryStart)];
  const joined = own.endsWith('/') ? own + path.slice(1) : own + path;
  const added = joined.length - queryStart;
  return { location: joined + rest, queryStart: queryStart + added, queryEnd: queryEnd + added, policy };
}

/**
 * Returns the normal form of a stored destination: no parser reads another origin from it, even after a visitor's query.
 * Returns `undefined` unless it is an http or https address.
 */
export function safeLocation(destinationUrl: string): string | undefined {
  const url = URL.parse(destinationUrl);
  if (!url) return undefined;
  const { protocol, username, password, href } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (username !== '' || password !== '') return undefined;
  return uriOf(href);
}

/** Cuts the query between two parameters. */
function truncateQuery(query: string): string {
  if (query.length <= PASSED_ON_BYTES_MAX) return query;
  return query.slice(0, Math.max(0, query.lastIndexOf('&', PASSED_ON_BYTES_MAX)));
}

/** Counts each parameter with its `&`. One with `;` counts as the parameters that some servers read from it. */
function parametersWithin(bytesMax: number, parameters: Parameter[]): Parameter[] {
  let bytes = 0;
  let count = 0;
  const tooMany = parameters.findIndex(({ raw }) => {
    bytes += raw.length + 1;
    count += raw.split(';').length;
    return bytes > bytesMax || count > PASSED_ON_MAX;
  });
  return tooMany === -1 ? parameters : parameters.slice(0, tooMany);
}

function parameter(name: string, value: string | null): Parameter[] {
  if (value === null || value === '') return [];
  // Through bytes, since `encodeURIComponent` throws on a lone surrogate.
  return [{ name, raw: `${name}=${encodeURIComponent(Buffer.from(value).toString())}` }];
}

const queryOf = (parameters: Parameter[]): string => (parameters.length > 0 ? `?${joinQuery(parameters)}` : '');

/** Copies the string: a concatenated one keeps its parts alive. */
const flatten = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('latin1');

/** The second part begins with the mark, or is empty. */
function splitAt(text: string, mark: string): [string, string] {
  const index = text.indexOf(mark);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index)];
}
