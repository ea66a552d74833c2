import { hash } from 'node:crypto';
import { AppError } from '../errors.js';
import { canonicalJson } from '../canonical-json.js';

/**
 * Fields that the platform counts or observes and no request changes. They are the second part of a tag, which
 * `If-Match` does not compare: a scan must not reject the edit of a link.
 */
const OBSERVED: ReadonlySet<string> = new Set([
  'availability',
  'consecutive_failures',
  'last_checked_at',
  'last_error',
  'last_scanned_at',
  'last_used_at',
  'links_count',
  'scans_count',
  'usage',
]);

const OBSERVED_SEPARATOR = '.';
/** Separates a tag from the content coding: each coding has a strong tag of its own (RFC 9110, 8.8.3.3). */
const CODING_SEPARATOR = '+';
/** Characters of base64url: 96 bits, far more than the versions of one item need. */
const HASH_LENGTH = 16;

/** Returns the strong entity tag of an item: `"<hash>"`, or `"<hash>.<hash of the observed fields>"`. */
export function entityTagOf(item: object): string {
  const fields = Object.entries(item);
  const edited = fields.filter(([name]) => !OBSERVED.has(name));
  const observed = fields.filter(([name]) => OBSERVED.has(name));
  const parts = observed.length === 0 ? [edited] : [edited, observed];
  return `"${parts.map(hashOf).join(OBSERVED_SEPARATOR)}"`;
}

const hashOf = (fields: [string, unknown][]): string =>
  hash('sha256', canonicalJson(Object.fromEntries(fields)), 'base64url').slice(0, HASH_LENGTH);

/** The tag of the same representation under a content coding, if it has one; a weak tag stays as it is. */
export const tagWithCoding = (tag: string, coding: string | undefined): string =>
  coding !== undefined && tag.startsWith('"') ? `${tag.slice(0, -1)}${CODING_SEPARATOR}${coding}"` : tag;

const withoutCoding = (opaque: string): string => opaque.split(CODING_SEPARATOR, 1)[0]!;
const editedPart = (opaque: string): string => withoutCoding(opaque).split(OBSERVED_SEPARATOR, 1)[0]!;

export interface ListedTag {
  isWeak: boolean;
  /** Without its quotes. */
  opaque: string;
}
/** The tags of `If-Match` and `If-None-Match`; `*` is any tag. */
export type TagList = '*' | readonly ListedTag[];

const opaqueOf = (tag: string): string => tag.slice(1, -1);

/** For `If-Match`: the strong comparison of the part that a request can change. */
export function matchesForChange(list: TagList, tag: string): boolean {
  if (list === '*') return true;
  const current = editedPart(opaqueOf(tag));
  return list.some(({ isWeak, opaque }) => !isWeak && editedPart(opaque) === current);
}

/** For `If-None-Match`: the weak comparison of the whole tag. @returns the tag that matches, as the client has it */
export function findKnown(list: TagList, tag: string): string | undefined {
  if (list === '*') return tag;
  const known = list.find(({ opaque }) => withoutCoding(opaque) === opaqueOf(tag));
  return known && `"${known.opaque}"`;
}

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** @throws AppError `bad_request` for a header that is neither `*` nor a list of entity tags (RFC 9110, 8.8.3) */
export function readTagList(name: string, header: string): TagList {
  if (header.trim() === '*') return '*';
  const tags: ListedTag[] = [];
  const rest = header.replace(ENTITY_TAG, (_tag, weak: string | undefined, opaque: string) => {
    tags.push({ isWeak: weak !== undefined, opaque });
    return 'tag';
  });
  const isList = rest.split(',').every((element) => ['', 'tag'].includes(element.trim()));
  if (isList && tags.length > 0) return tags;
  throw new AppError('bad_request', `The ${name} header must be * or a list of quoted entity tags, e.g. "abc".`);
}
