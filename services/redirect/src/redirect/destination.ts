import { parseUrl } from '@waymark/shared/contract/url';
import { UTM_KEYS, type UtmDefaults } from '@waymark/shared/contract/links';
import { joinQuery, mergeQueries, parseQuery, sanitizeQuery, type Parameter } from './query.js';

/** A destination with its UTM defaults merged in, cut up so that a visitor's query can be merged without parsing it. */
export interface Destination {
  /** For a visitor without a query. */
  location: string;
  beforeQuery: string;
  parameters: Parameter[];
  /** With its `#`, or empty. */
  fragment: string;
}

/** @returns nothing for what is no http or https address: nobody is sent there. */
export function parseDestination(destinationUrl: string, utmDefaults: UtmDefaults): Destination | null {
  const url = safeLocation(destinationUrl);
  if (url === undefined) return null;
  const [beforeFragment, fragment] = cut(url, '#');
  const [beforeQuery, query] = cut(beforeFragment, '?');
  const defaults = UTM_KEYS.flatMap((name) => parameter(name, utmDefaults[name]));
  const parameters = mergeQueries(parseQuery(query.slice(1)), defaults);
  const location = defaults.length === 0 ? url : assemble(beforeQuery, parameters, fragment);
  return { location, beforeQuery, parameters, fragment };
}

/** `qr` tells whether the visitor's query says that a QR code was scanned. */
export interface Visit {
  location: string;
  qr: boolean;
}

const QR_MARK = 'qr=1';
/** Of the visitor's own parameters. */
const PASSED_ON_BYTES_MAX = 8 * 1024;
/** Clients take headers of 16 kB in all, the most careful proxies less. */
const LOCATION_BYTES_MAX = 14 * 1024;

/**
 * Precedence: the destination's own query, then UTM defaults, then the visitor's query, of which as much is passed on as
 * there is room for.
 */
export function visit(destination: Destination, visitorQuery: string): Visit {
  if (visitorQuery === '') return { location: destination.location, qr: false };
  const all = parseQuery(sanitizeQuery(visitorQuery));
  const unmarked = all.filter(({ raw }) => raw !== QR_MARK);
  const qr = unmarked.length < all.length;
  const room = LOCATION_BYTES_MAX - destination.location.length;
  const visitor = firstWithin(Math.min(PASSED_ON_BYTES_MAX, room), unmarked);
  if (visitor.length === 0) return { location: destination.location, qr };
  const { beforeQuery, parameters, fragment } = destination;
  return { location: assemble(beforeQuery, mergeQueries(parameters, visitor), fragment), qr };
}

/**
 * The normal form of what was stored: no other origin can be read into it, also behind what a visitor adds. `undefined` for
 * what is no http or https address.
 */
export function safeLocation(destinationUrl: string): string | undefined {
  const url = parseUrl(destinationUrl);
  if (!url) return undefined;
  const { protocol, username, password, href } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  if (username !== '' || password !== '') return undefined;
  return href;
}

/** Whole ones, each with its `&`. */
function firstWithin(bytesMax: number, parameters: Parameter[]): Parameter[] {
  let bytes = 0;
  const tooMany = parameters.findIndex(({ raw }) => (bytes += raw.length + 1) > bytesMax);
  return tooMany === -1 ? parameters : parameters.slice(0, tooMany);
}

function parameter(name: string, value: string | null): Parameter[] {
  if (value === null || value === '') return [];
  // By way of bytes, since half a surrogate pair can't be encoded.
  return [{ name, raw: `${name}=${encodeURIComponent(Buffer.from(value).toString())}` }];
}

const assemble = (beforeQuery: string, parameters: Parameter[], fragment: string): string =>
  `${beforeQuery}${parameters.length > 0 ? '?' : ''}${joinQuery(parameters)}${fragment}`;

/** The second part begins with the mark, or is empty. */
function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}
