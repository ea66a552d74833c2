import type { IncomingHttpHeaders } from 'node:http';
import type { ReceivedResponse } from '@waymark/contract/webhooks';

const EXCERPT_READ_MAX = 400;
const EXCERPT_MAX = 200;
/** A body is cut to its first kilobyte, without a word that the cut would split, before it is redacted. */
const KILOBYTE = 1024;
const HEADERS_MAX = 30;
const HEADER_NAME_MAX = 64;
const HEADER_VALUE_MAX = 128;

const READABLE = /^(text\/|application\/([\w.-]+\+)?(json|xml))/i;
/** Other encodings would hide words from the rules below. */
const OTHER_CHARSET = /charset\s*=\s*["']?(?!utf-?8\b|us-ascii\b|iso-8859-1\b)/i;
const INVISIBLE = /[\p{C}\uFFFD]+/gu;

const REDACTED = '[redacted]';
/** Everything after a word that announces a secret could be the secret, in any form and at any distance. */
const SECRET_NAME = /pass|pwd|secret|token|auth|bearer|basic|signature|cookie|session|key|credential|private/i;
const SECRET_NAME_AND_REST =
  /((?:pass|pwd|secret|token|auth|bearer|basic|signature|cookie|session|key|credential|private)[\w-]*)(?![\w-])[^]+/iu;
const PREFIXED_SECRET = /(?:v1,|whsec_|wmk_)\S*/gi;
const WORD = /\S+/g;
const LONG_WORD = /\S{20,}/g;

/**
 * Returns the beginning of a refusal in the receiver's own words, or null if it is not text. Receivers echo requests
 * and print their internals, so the log keeps little, and nothing that looks like a secret.
 */
export function snippetOf(headers: IncomingHttpHeaders, bytes: Buffer): string | null {
  const text = textOf(headers, bytes);
  if (text === null) return null;
  const shown = redacted(cut(text, EXCERPT_READ_MAX));
  return shown === '' ? null : shown.slice(0, EXCERPT_MAX);
}

/** Returns the part of a response that the log keeps, by the same rules. */
export function redactResponse(headers: IncomingHttpHeaders, bytes: Buffer): ReceivedResponse {
  const text = textOf(headers, bytes);
  const names = Object.keys(headers);
  return {
    headers: Object.fromEntries(names.slice(0, HEADERS_MAX).map((name) => redactHeader(name, String(headers[name])))),
    body: text === null ? null : redacted(cut(text, KILOBYTE)).slice(0, KILOBYTE) || null,
    is_truncated: (text?.length ?? 0) > KILOBYTE || names.length > HEADERS_MAX,
  };
}

function redactHeader(name: string, value: string): [name: string, value: string] {
  const isSecret = SECRET_NAME.test(name);
  const shown = redacted(cut(value.replace(INVISIBLE, ''), HEADER_VALUE_MAX)).slice(0, HEADER_VALUE_MAX);
  return [name.slice(0, HEADER_NAME_MAX), isSecret ? REDACTED : shown];
}

function textOf(headers: IncomingHttpHeaders, bytes: Buffer): string | null {
  const type = headers['content-type'] ?? '';
  const isReadable = READABLE.test(type) && !OTHER_CHARSET.test(type) && !bytes.includes(0);
  if (headers['content-encoding'] !== undefined || !isReadable) return null;
  return bytes.toString('utf8').replace(/\s+/g, ' ').replace(INVISIBLE, '');
}

/** Drops a truncated last word: it could be the beginning of a secret. */
const cut = (text: string, max: number): string => (text.length > max ? text.slice(0, max).replace(/\S*$/, '') : text);

function redacted(text: string): string {
  return text
    .replace(SECRET_NAME_AND_REST, `$1 ${REDACTED}`)
    .replace(PREFIXED_SECRET, REDACTED)
    .replace(WORD, (word) => (hasUserInfo(word) ? REDACTED : word))
    .replace(LONG_WORD, REDACTED)
    .trim();
}

/** Whether a word may contain a URL with a user and a password. An expression for it would take cubic time. */
function hasUserInfo(word: string): boolean {
  const scheme = word.indexOf('://');
  return scheme !== -1 && word.lastIndexOf('@') > scheme;
}
