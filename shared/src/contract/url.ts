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
