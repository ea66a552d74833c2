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
const CHARSET = /charset\s*=\s*["']?([^\s"';]*)/gi;
/** Other encodings would hide words from the rules below. What is called Latin-1 is Windows-1252 to every browser. */
const ENCODINGS: Readonly<Record<string, 'utf-8' | 'windows-1252'>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'windows-1252',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'windows-1252': 'windows-1252',
};
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
    body_omitted: text === null && bytes.length > 0 ? 'not text' : null,
    is_truncated: (text?.length ?? 0) > KILOBYTE || names.length > HEADERS_MAX,
  };
}

function redactHeader(name: string, value: string): [name: string, value: string] {
  const isSecret = SECRET_NAME.test(name);
  const shown = redacted(cut(value.replace(INVISIBLE, ''), HEADER_VALUE_MAX)).slice(0, HEADER_VALUE_MAX);
  return [name.slice(0, HEADER_NAME_MAX), isSecret ? REDACTED : shown];
}

function textOf(headers: IncomingHttpHeaders, bytes: Buffer): string | null {
  const encoding = encodingOf(headers['content-type']);
  if (headers['content-encoding'] !== undefined || encoding === undefined || bytes.includes(0)) return null;
  const text = decode(bytes, encoding);
  return text === null ? null : text.replace(/\s+/g, ' ').replace(INVISIBLE, '');
}

/** @returns `undefined` for what is no text, or text of another encoding */
function encodingOf(type: string | undefined) {
  if (type === undefined) return 'utf-8';
  if (!READABLE.test(type)) return undefined;
  const named = [...type.matchAll(CHARSET)].map(([, charset]) => ENCODINGS[charset!.toLowerCase()]);
  if (named.length === 0) return 'utf-8';
  return named.every((encoding) => encoding === named[0]) ? named[0] : undefined;
}

/** @returns null for bytes that are no text of the encoding; the last character may be cut off */
function decode(bytes: Buffer, encoding: 'utf-8' | 'windows-1252'): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
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
