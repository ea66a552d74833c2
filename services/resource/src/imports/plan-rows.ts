import { isDeepStrictEqual } from 'node:util';
import type { OnDuplicate, RowErrorCode } from '@waymark/shared/contract/imports';
import type { CreateLinkBody } from '@waymark/shared/contract/links';
import { quotaReached } from '@waymark/shared/kernel/quota';
import { placeKey, type Holder } from '../codes/code-store.js';
import { applyInput } from '../links/apply-input.js';
import { codeKey, isAt, type Link } from '../links/link.js';
import type { Named } from '../links/references.js';
import { EARLIER, TAKEN, type Change } from '../links/save-link.js';
import { newShortCode } from '../links/short-code.js';
import type { RowProblem } from './read-rows.js';

/** What the rows meet: as the transaction sees it, and then as the rows before would leave it. */
export interface Surroundings {
  /** The workspace's links by the keys of their codes. */
  links: Map<string, Link>;
  /** Codes that links of the workspace had before, by their keys. */
  formerKeys: ReadonlySet<string>;
  /** Who has a code, by `placeKey`. */
  holders: Map<string, Holder>;
  workspace: string;
  /** Links that are active, and how many may be. */
  active: number;
  activeMax: number | null;
  onDuplicate: OnDuplicate;
  make: (input: CreateLinkBody & { short_code: string }, named: Named) => Link;
}

export type Outcome =
  | { done: 'created' | 'updated'; change: Change | null }
  | { done: 'skipped' }
  | { done: 'failed'; code: RowErrorCode; problems: RowProblem[] };

/** What a row comes to after those before it. */
export function planRow(around: Surroundings, input: CreateLinkBody, named: Named): Outcome {
  if (input.short_code === undefined) return planCreate(around, { ...input, short_code: freshCode(around) }, named);
  const place = { hostname: named.domain?.hostname ?? null, shortCode: input.short_code };
  const key = codeKey(place.shortCode);
  const known = around.links.get(key);
  if (known && isAt(known, place)) return planDuplicate(around, known, input, named);
  if (around.formerKeys.has(key)) return refusedCode('validation_failed', EARLIER);
  const holder = around.holders.get(placeKey(place));
  if (known || (holder && holder.workspace !== around.workspace)) return refusedCode('validation_failed', TAKEN);
  return planCreate(around, { ...input, short_code: place.shortCode }, named);
}

function planCreate(around: Surroundings, input: CreateLinkBody & { short_code: string }, named: Named): Outcome {
  return settle(around, 'created', { before: null, after: around.make(input, named) });
}

function planDuplicate(around: Surroundings, before: Link, input: CreateLinkBody, named: Named): Outcome {
  if (around.onDuplicate === 'skip') return { done: 'skipped' };
  if (around.onDuplicate === 'fail') return refusedCode('duplicate', TAKEN);
  // The code is what the two have in common; how it is written is no change.
  const after = applyInput(before, { ...input, short_code: before.shortCode }, named);
  const isSame = isDeepStrictEqual({ ...after, updatedAt: before.updatedAt, revision: before.revision }, before);
  return isSame ? { done: 'updated', change: null } : settle(around, 'updated', { before, after });
}

/** Takes the change into account for the rows to come, unless the plan does not allow it. */
function settle(
  around: Surroundings,
  done: 'created' | 'updated',
  change: { before: Link | null; after: Link },
): Outcome {
  const active = around.active + Number(change.after.status === 'active') - Number(change.before?.status === 'active');
  if (around.activeMax !== null && active > around.activeMax && active > around.active) return refusedByQuota(around);
  around.active = active;
  around.links.set(change.after.codeKeys[0]!, change.after);
  return { done, change };
}

function freshCode(around: Surroundings): string {
  const code = newShortCode();
  return around.links.has(code) ? freshCode(around) : code;
}

function refusedCode(code: RowErrorCode, message: string): Outcome {
  return { done: 'failed', code, problems: [{ field: 'short_code', message }] };
}

function refusedByQuota({ activeMax, active }: Surroundings): Outcome {
  const { details } = quotaReached('active_links', activeMax!, active);
  const problems = (details!['quota'] as string[]).map((message) => ({ field: 'quota', message }));
  return { done: 'failed', code: 'quota_exceeded', problems };
}
