import type { IncomingHttpHeaders } from 'node:http';

const SEEN_MAX = 400;
const SHOWN_MAX = 200;

const READABLE = /^(text\/|application\/([\w.-]+\+)?(json|xml))/i;
/** Characters of other encodings would hide words from the rules below. */
const OTHER_CHARSET = /charset\s*=\s*["']?(?!utf-?8\b|us-ascii\b|iso-8859-1\b)/i;
const UNSEEN = /[\p{C}\uFFFD]+/gu;

const REDACTED = '[redacted]';
/** Whatever comes after a word that announces a secret could be it, in any form and however far away. */
const NAMED =
  /((?:pass|pwd|secret|token|auth|bearer|basic|signature|cookie|session|key|credential|private)[\w-]*)(?![\w-])[^]+/iu;
const PREFIXED = /(?:v1,|whsec_|wmk_)\S*/gi;
const USER_INFO = /\S*:\/\/\S*@\S*/g;
const LONG = /\S{20,}/g;

/**
 * The beginning of a refusal in the receiver's own words, or null where it is no text. Receivers echo what they were sent
 * and print what they hold: little is kept, and nothing that looks like a secret.
 */
export function snippetOf(headers: IncomingHttpHeaders, bytes: Buffer): string | null {
  const type = headers['content-type'] ?? '';
  const isReadable = READABLE.test(type) && !OTHER_CHARSET.test(type) && !bytes.includes(0);
  if (headers['content-encoding'] !== undefined || !isReadable) return null;
  const text = bytes.toString('utf8').replace(/\s+/g, ' ').replace(UNSEEN, '');
  // A word that was cut off could be the beginning of a secret.
  const seen = text.length > SEEN_MAX ? text.slice(0, SEEN_MAX).replace(/\S*$/, '') : text;
  const shown = seen
    .replace(NAMED, `$1 ${REDACTED}`)
    .replace(PREFIXED, REDACTED)
    .replace(USER_INFO, REDACTED)
    .replace(LONG, REDACTED)
    .trim();
  return shown === '' ? null : shown.slice(0, SHOWN_MAX);
}
