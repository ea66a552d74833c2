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

/** An http or https URL without credentials and control characters. */
export function isHttpUrl(text: string): boolean {
  if (CONTROL_CHARACTERS.test(text)) return false;
  const url = parseUrl(text);
  return url !== null && ['https:', 'http:'].includes(url.protocol) && url.username === '' && url.password === '';
}
