const PARTS = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(\??[^#]*)(#?)(.*)$/s;
const NOWHERE = /[|{}^`\\"<>]/g;
const OUTSIDE_QUERIES = /[|{}^`\\"<>[\]#]/g;

/**
 * Returns the normal form of a URL as a URI: percent-encodes what URL parsers leave and RFC 3986 does not allow, since
 * some clients follow, and some servers answer, nothing else. Queries keep brackets, on which forms depend, and a `%`
 * that begins no escape stays as it is.
 */
export function uriOf(href: string): string {
  const [, origin, path, query, mark, fragment] = PARTS.exec(href) ?? ['', href, '', '', '', ''];
  const escaped = (text: string | undefined) => text!.replace(OUTSIDE_QUERIES, encodeURIComponent);
  return `${origin}${escaped(path)}${query.replace(NOWHERE, encodeURIComponent)}${mark}${escaped(fragment)}`;
}
