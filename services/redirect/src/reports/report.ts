import { parseUrl } from '../redirect/parse-url.js';
import type { ShortHosts } from '../redirect/short-hosts.js';
import type { LinkAddress } from '../targets/target-model.js';

export const REASONS = ['phishing', 'malware', 'spam', 'other'] as const;
export type Reason = (typeof REASONS)[number];

export const URL_LENGTH_MAX = 2048;
export const COMMENT_LENGTH_MAX = 1000;

/** What a visitor says of a link. */
export interface Report {
  /** As typed. */
  url: string;
  reason: Reason;
  /** Empty without one. */
  comment: string;
}

/** Reads the body of the form; `undefined` if it names no link, or no reason of the form. */
export function parseReport(body: string): Report | undefined {
  const form = new URLSearchParams(body);
  const url = (form.get('url') ?? '').trim();
  const reason = REASONS.find((each) => each === form.get('reason'));
  if (!reason || url === '' || url.length > URL_LENGTH_MAX) return undefined;
  return { url, reason, comment: plainText(form.get('comment') ?? '') };
}

/** Control and format characters, separators of lines, halves of characters: they change how the rest is shown. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** Returns a comment as one line of text. */
function plainText(text: string): string {
  const line = text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
  return Array.from(line).slice(0, COMMENT_LENGTH_MAX).join('');
}

const SCHEME = /^https?:\/\//i;

/** Returns where the link with a typed URL is; `undefined` for a URL that no link of this installation can have. */
export function linkAddressOf(typed: string, shortHosts: ShortHosts): LinkAddress | undefined {
  const url = URL.parse(SCHEME.test(typed) ? typed : `https://${typed}`);
  if (!url) return undefined;
  const hostname = shortHosts.hostnameOf(url.host);
  const { path } = parseUrl(url.pathname + url.search);
  return hostname === undefined || !path ? undefined : { hostname, shortCode: path.shortCode };
}
