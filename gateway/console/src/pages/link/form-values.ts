import type { Link, LinkChange } from '../../api/links.js';
import { withScheme } from '../../format/addresses.js';
import { fromLocalText, toLocalText } from '../../format/points-in-time.js';

export const UTM = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
type UtmName = (typeof UTM)[number];
const OPTIONAL = ['title', 'campaign_tag', 'folder_id', 'domain_id'] as const;
type OptionalName = (typeof OPTIONAL)[number];

/** The fields of the form as texts; the ids of the tags are separated by commas. */
export interface Values extends Record<OptionalName | UtmName, string> {
  destination_url: string;
  short_code: string;
  tag_ids: string;
  /** In the time zone of the browser. */
  starts_at: string;
  expires_at: string;
  max_scans: string;
  expired_url: string;
  redirect_status: string;
  query_policy: string;
  /** `true` or `false`. */
  forward_path: string;
}
export type Name = keyof Values;

export const TIMES = ['starts_at', 'expires_at'] as const;

/** Fields whose values are ids or codes, which mean nothing to a member. */
export const CODED: readonly Name[] = ['folder_id', 'domain_id', 'tag_ids', 'query_policy', 'forward_path'];

export const valuesOf = (link: Link): Values => ({
  destination_url: link.destination_url,
  title: link.title ?? '',
  short_code: link.short_code,
  campaign_tag: link.campaign_tag ?? '',
  // A QR code has none of these.
  folder_id: link.folder_id ?? '',
  domain_id: link.domain?.id ?? '',
  tag_ids: (link.tags ?? []).map(({ id }) => id).join(),
  starts_at: toLocalText(link.starts_at),
  expires_at: toLocalText(link.expires_at),
  max_scans: link.max_scans === null ? '' : String(link.max_scans),
  expired_url: link.expired_url ?? '',
  redirect_status: String(link.redirect_status),
  query_policy: link.query_policy,
  forward_path: String(link.forward_path),
  ...(Object.fromEntries(UTM.map((name) => [name, link.utm_defaults[name] ?? ''])) as Record<UtmName, string>),
});

const names = (values: Partial<Values>): Name[] => Object.keys(values) as Name[];

export const differing = (one: Values, other: Values): Name[] => names(one).filter((name) => one[name] !== other[name]);

/** The edited fields whose values are not those that are saved. */
export const changedBy = (edits: Partial<Values>, saved: Values): Name[] =>
  names(edits).filter((name) => edits[name] !== saved[name]);

/** How the body of the PATCH has a field of the form; a UTM parameter has a part of its own there. */
const BODY_OF: Record<Exclude<Name, UtmName>, (text: string) => unknown> = {
  destination_url: withScheme,
  short_code: (text) => text.trim(),
  tag_ids: (text) => text.split(',').filter(Boolean),
  title: orNull,
  campaign_tag: orNull,
  folder_id: orNull,
  domain_id: orNull,
  starts_at: fromLocalText,
  expires_at: fromLocalText,
  max_scans: readCount,
  expired_url: (text) => withScheme(text) || null,
  redirect_status: Number,
  query_policy: (text) => text,
  forward_path: (text) => text === 'true',
};

/** The body of the PATCH: an empty optional field is `null`. */
export function changesOf(values: Values, changed: readonly Name[]): LinkChange {
  const body: Record<string, unknown> = {};
  for (const name of changed) {
    if (isUtm(name)) body['utm_defaults'] = { ...(body['utm_defaults'] as object), [name]: orNull(values[name]) };
    else body[name] = BODY_OF[name](values[name]);
  }
  return body;
}

function orNull(text: string): string | null {
  return text || null;
}

const isUtm = (name: Name): name is UtmName => (UTM as readonly Name[]).includes(name);

/** A text that is no number is sent as it is, so that the API says so. */
function readCount(text: string): number | string | null {
  const count = toCount(text);
  return text.trim() === '' ? null : (count ?? text);
}

const COUNT = /^(?:\d+|\d{1,3}(?:[\s.,’']\d{3})+)$/;

/** The number that a text stands for, also with separators of thousands; `undefined` for none. */
export function toCount(text: string): number | undefined {
  const typed = text.trim();
  return COUNT.test(typed) ? Number(typed.replace(/\D/g, '')) : undefined;
}
