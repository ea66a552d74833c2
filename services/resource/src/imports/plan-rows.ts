import { isDeepStrictEqual } from 'node:util';
import type { OnDuplicate, RowErrorCode } from '@waymark/contract/imports';
import type { CreateLinkBody } from '@waymark/contract/links';
import { exceededQuota } from '@waymark/contract/quota';
import { placeKey, type Holder } from '../codes/code-store.js';
import { applyInput } from '../links/apply-input.js';
import { codeKey, isAt, type Link } from '../links/link.js';
import type { Named } from '../links/references.js';
import { EARLIER, TAKEN, type Change } from '../links/save-link.js';
import { newShortCode } from '../links/short-code.js';
import { quotaProblems, type RowProblem } from './read-row.js';

/** The state before a row: as the transaction sees it, plus the changes of the rows before. */
export interface ImportState {
  /** The workspace's links by the keys of their codes. */
  links: Map<string, Link>;
  /** Keys of codes that links of the workspace had before. */
  formerKeys: ReadonlySet<string>;
  /** The holders of codes, by `placeKey`. */
  holders: Map<string, Holder>;
  workspace: string;
  /** The number of active links, and its limit. */
  active: number;
  activeMax: number | null;
  /** The number of links in any status, and its limit. */
  total: number;
  totalMax: number;
  onDuplicate: OnDuplicate;
  make: (input: CreateLinkBody & { short_code: string }, named: Named) => Link;
}

export type Outcome =
  | { done: 'created' | 'updated'; link: Link; change: Change }
  | { done: 'unchanged' | 'skipped'; link: Link }
  | { done: 'failed'; code: RowErrorCode; problems: RowProblem[] };

/** Determines the outcome of a row after those before it. */
export function planRow(state: ImportState, input: CreateLinkBody, named: Named): Outcome {
  if (input.short_code === undefined) return planCreate(state, { ...input, short_code: freshCode(state) }, named);
  const place = { hostname: named.domain?.hostname ?? null, shortCode: input.short_code };
  const key = codeKey(place.shortCode);
  const known = state.links.get(key);
  if (known && isAt(known, place)) return planDuplicate(state, known, input, named);
  if (state.formerKeys.has(key)) return refusedCode('validation_failed', EARLIER);
  const holder = state.holders.get(placeKey(place));
  if (known || (holder && holder.workspace !== state.workspace)) return refusedCode('validation_failed', TAKEN);
  return planCreate(state, { ...input, short_code: place.shortCode }, named);
}

function planCreate(state: ImportState, input: CreateLinkBody & { short_code: string }, named: Named): Outcome {
  return apply(state, 'created', { before: null, after: state.make(input, named) });
}

function planDuplicate(state: ImportState, before: Link, input: CreateLinkBody, named: Named): Outcome {
  if (state.onDuplicate === 'skip') return { done: 'skipped', link: before };
  if (state.onDuplicate === 'fail') return refusedCode('duplicate', TAKEN);
  // Both have the same code; different case is no change.
  const after = applyInput(before, { ...input, short_code: before.shortCode }, named);
  const isSame = isDeepStrictEqual({ ...after, updatedAt: before.updatedAt, revision: before.revision }, before);
  return isSame ? { done: 'unchanged', link: before } : apply(state, 'updated', { before, after });
}

/** Applies the change to the state for later rows, unless the plan does not allow it. */
function apply(state: ImportState, done: 'created' | 'updated', change: { before: Link | null; after: Link }): Outcome {
  const active = state.active + Number(change.after.status === 'active') - Number(change.before?.status === 'active');
  if (state.activeMax !== null && active > state.activeMax && active > state.active)
    return refusedByQuota('active_links', state.activeMax, state.active);
  const total = state.total + Number(change.before === null);
  if (total > state.totalMax && total > state.total) return refusedByQuota('links', state.totalMax, state.total);
  Object.assign(state, { active, total });
  state.links.set(change.after.codeKeys[0]!, change.after);
  return { done, link: change.after, change };
}

function freshCode(state: ImportState): string {
  const code = newShortCode();
  return state.links.has(code) ? freshCode(state) : code;
}

function refusedCode(code: RowErrorCode, message: string): Outcome {
  return { done: 'failed', code, problems: [{ field: 'short_code', message }] };
}

function refusedByQuota(resource: string, limit: number, current: number): Outcome {
  return {
    done: 'failed',
    code: 'validation_failed',
    problems: quotaProblems(exceededQuota({ resource, limit, current })),
  };
}
