/**
 * `null` for a text that is no URL. In place of `URL.canParse`, which on Node 20 refuses hosts such as `bücher.example`
 * once it has been called a few thousand times, and of `URL.parse`, which Node 20 lacks.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Characters below space, and DEL: never part of a URL that goes into a header. */
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Both slashes and a host after them: no part that a parser would have to guess, and none in front of an `@`. */
const PLAIN_BEGINNING = /^https?:\/\/[^\\/?#@]+(?:[/?#]|$)/i;
/** At the beginning or between two dots. */
const EMPTY_LABEL = /^\.|\.\./;

/** An http or https URL that every parser reads alike, without credentials and control characters. */
export function isHttpUrl(text: string): boolean {
  if (CONTROL_CHARACTERS.test(text) || !PLAIN_BEGINNING.test(text)) return false;
  const url = parseUrl(text);
  return url !== null && !EMPTY_LABEL.test(url.hostname);
}

/** As it is sent in a header: its normal form, percent-encoded. */
export const encodedLength = (text: string): number => parseUrl(text)?.href.length ?? 0;
