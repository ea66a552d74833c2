import { domainToUnicode } from 'node:url';
import { requiredText } from './common.js';
import { isDecodable } from './hostname.js';
import { invisibleCharacters, report, tooLong, urlInvalid, type Problem } from './problems.js';
import { isVisible } from './visible-text.js';

const SCHEME = /^https?:\/\//i;
/** Requires both slashes and a host: no part that a parser would have to guess, and nothing in front of an `@`. */
const PLAIN_BEGINNING = /^https?:\/\/([^\\/?#@]+)(?:[/?#]|$)/i;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

const URL_LENGTH_MAX = 2048;
/** An http or https URL that every parser and every reader reads alike, without credentials. */
export const httpUrl = (name: string) =>
  requiredText(name)
    .trim()
    .max(URL_LENGTH_MAX, { error: tooLong(name, URL_LENGTH_MAX).message, abort: true })
    .superRefine((text, ctx) => {
      const problem = problemOf(name, text);
      if (problem !== null) report(ctx, problem);
    });

function problemOf(name: string, text: string): Problem | null {
  if (!isVisible(text)) return invisibleCharacters(name);
  if (!SCHEME.test(text)) return urlInvalid(name, 'begin with https:// or http://');
  const url = URL.parse(text);
  const host = PLAIN_BEGINNING.exec(text)?.[1]?.replace(/:\d*$/, '');
  if (!url || host === undefined) return urlInvalid(name, 'be an http or https URL without credentials');
  if (!isHost(url.hostname)) return urlInvalid(name, 'have the name or the address of a host');
  if (!readsAs(host, url.hostname))
    return urlInvalid(name, `have its host written as ${domainToUnicode(url.hostname)}`);
  // The redirect sends the normal form in a header.
  return url.href.length > URL_LENGTH_MAX ? tooLong(name, URL_LENGTH_MAX, 'characters, percent-encoded') : null;
}

/** Accepts an address in brackets, or a name of valid labels. */
const isHost = (hostname: string): boolean =>
  hostname.startsWith('[') ||
  withoutLastDot(hostname)
    .split('.')
    .every((label) => LABEL.test(label) && isDecodable(label));

/** True for a host as the parser returns it, except for the case of letters and for names beyond ASCII. */
function readsAs(typed: string, hostname: string): boolean {
  const host = typed.normalize('NFC').toLowerCase();
  return host === hostname || host === domainToUnicode(hostname);
}

const withoutLastDot = (hostname: string): string => hostname.replace(/\.$/, '');
