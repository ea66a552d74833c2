import { domainToUnicode } from 'node:url';

/** Room for a label of ours in front: a DNS name has 253 characters at most. */
export const HOSTNAME_LENGTH_MAX = 230;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** At least two labels, the last of which no IPv4 address can have. */
const FQDN = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`);
/** Characters that would end the host of a URL, or have another meaning there. */
const NOT_IN_A_HOSTNAME = /[\s/\\?#@:%[\]]/;

/**
 * Returns the canonical spelling of a fully qualified host name: lower case, IDNA (UTS 46) in its ASCII form, without
 * the final dot. Returns `null` for addresses, single labels, wildcards and underscores.
 */
export function toHostname(text: string): string | null {
  if (NOT_IN_A_HOSTNAME.test(text)) return null;
  const hostname = URL.parse(`https://${text}/`)?.hostname.replace(/\.$/, '') ?? '';
  return isHostname(hostname) ? hostname : null;
}

/** True for the results of `toHostname`. */
export const isHostname = (text: string): boolean =>
  text.length <= HOSTNAME_LENGTH_MAX && FQDN.test(text) && text.split('.').every(isDecodable);

/** Returns the name without its final dot, then each name that it is below: `a.b.example`, `b.example`, `example`. */
export function parentDomainsOf(hostname: string): string[] {
  const name = hostname.replace(/\.$/, '');
  const names = [name];
  // An address has no names above it.
  if (/^\[|(?:^|\.)\d+$/.test(name)) return names;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) names.push(name.slice(dot + 1));
  return names;
}

/** False for an `xn--` label that encodes no Unicode label (RFC 5890, A-label): parsers of URLs disagree on it. */
export const isDecodable = (label: string): boolean => !label.startsWith('xn--') || domainToUnicode(label) !== label;

/** The scripts that a name is recognised in: those in common modern use (UAX 31, table 5), and sets that are one script to UTS 39. */
const SCRIPTS = [
  ...['Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Latin', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil'],
  ...['Telugu', 'Thaana', 'Thai', 'Tibetan', 'Han Bopomofo', 'Han Hiragana Katakana', 'Han Hangul'],
].map((names) => {
  const classes = `${names} Common Inherited`.split(' ').map((name) => `\\p{Script_Extensions=${name}}`);
  return new RegExp(`^[${classes.join('')}]*$`, 'u');
});

/** UTS 39, 5.1: false if its characters have no script in common, as in `pаypal` with a Cyrillic `а`. */
const isOfOneScript = (label: string): boolean => SCRIPTS.some((script) => script.test(label));

/**
 * Returns a hostname as people write it, or `null` if that is the same. A label that mixes scripts may look like another
 * one, so its hostname is `null`, too. Labels are judged one by one, as in browsers: `почта.example` is no mixture.
 */
export function toUnicodeHostname(hostname: string): string | null {
  const unicode = domainToUnicode(hostname);
  return unicode !== hostname && unicode.split('.').every(isOfOneScript) ? unicode : null;
}

/** Returns the short URL of a code on a custom host beyond ASCII as people write it; `null` where there is none. */
export function unicodeShortUrl(hostname: string | null, shortCode: string): string | null {
  const unicode = hostname === null ? null : toUnicodeHostname(hostname);
  return unicode && `https://${unicode}/${shortCode}`;
}
