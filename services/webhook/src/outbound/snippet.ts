import type { IncomingHttpHeaders } from 'node:http';

const SEEN_MAX = 400;
const SHOWN_MAX = 200;

const READABLE = /^(text\/|application\/([\w.-]+\+)?(json|xml))/;
/** What stands after a name such as `password`, whatever its form; then anything long enough to be a credential. */
const NAMED =
  /((?:passw\w*|secret|token|authorization|signature|cookie|session|api[-_]?key)\w*["']?\s*[:=]\s*["']?)[^"',;&\s}]+/gi;
const SCHEME = /\b(bearer|basic|v1,|whsec_|wmk_)\s*\S+/gi;
const LONG = /[\w+/=.~-]{20,}/g;
const REDACTED = '[redacted]';

/**
 * The beginning of a refusal in the receiver's own words, or null where it is no text. Receivers echo what they were sent
 * and print what they hold: little is kept, and nothing that looks like a secret.
 */
export function snippetOf(headers: IncomingHttpHeaders, bytes: Buffer): string | null {
  if (headers['content-encoding'] !== undefined || !READABLE.test(headers['content-type'] ?? '')) return null;
  const text = bytes.toString('utf8');
  // A word that was cut off could be the beginning of a secret.
  const seen = text.length > SEEN_MAX ? text.slice(0, SEEN_MAX).replace(/\S*$/, '') : text;
  const shown = seen
    .replace(NAMED, `$1${REDACTED}`)
    .replace(SCHEME, REDACTED)
    .replace(LONG, REDACTED)
    .replace(/[\p{Cc}\p{Cs}\uFFFD\s]+/gu, ' ')
    .trim();
  return shown === '' ? null : shown.slice(0, SHOWN_MAX);
}
