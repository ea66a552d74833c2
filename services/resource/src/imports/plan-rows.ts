import type { OnDuplicate, RowErrorCode } from '@waymark/contract/imports';
import type { CreateLinkBody } from '@waymark/contract/links';
import type { Problem } from '@waymark/contract/problems';
import { exceededQuota } from '@waymark/contract/quota';
import type { Change } from '../links/change.js';
import { addressKey, type CodeOwner } from '../links/code-store.js';
import type { Verdicts } from '../destinations/destination-checker.js';
import { admitDestinations, changeProblems, type DestinationRules } from '../links/admit-destinations.js';
import { applyInput, fieldRuleProblems } from '../links/apply-input.js';
import { codeKey, isSameAddress, type Link } from '../links/link.js';
import type { References } from '../links/references.js';
import { CODE_OF_ANOTHER_LINK, CODE_TAKEN } from '../links/save-links.js';
import { newShortCode } from '../links/short-code.js';
import { isSame } from '../links/update-link.js';
import { problemsIn, quotaProblems, type RowProblem } from './read-row.js';

/** The state before a row: as the transaction sees it, plus the changes of the rows before. */
export interface ImportState {
  /** The workspace's links by the keys of their codes. */
  links: Map<string, Link>;
  /** Keys of codes that links of the workspace had before. */
  formerKeys: ReadonlySet<string>;
  /** The owners of codes, by `addressKey`. */
  codeOwners: Map<string, CodeOwner>;
  workspace: string;
  /** The number of active links, and its limit. */
  active: number;
  activeMax: number | null;
  /** The number of links in any status, and its limit. */
  total: number;
  totalMax: number;
  onDuplicate: OnDuplicate;
  destinationRules: DestinationRules;
  /** What the checker says of the destinations of the rows. */
  verdicts: Verdicts | null;
  createLink: (input: CreateLinkBody & { short_code: string }, references: References) => Link;
}

export type Outcome =
  | { done: 'created' | 'updated'; link: Link; change: Change }
  | { done: 'unchanged' | 'skipped'; link: Link }
  | { done: 'failed'; code: RowErrorCode; problems: RowProblem[] };

interface PlannedInput {
  input: CreateLinkBody;
  references: References;
}

/** Determines the outcome of a row after those before it. */
export function planRow(state: ImportState, input: CreateLinkBody, references: References): Outcome {
  if (input.short_code === undefined) return planCreate(state, { ...input, short_code: freshCode(state) }, references);
  const address = { hostname: references.domain?.hostname ?? null, shortCode: input.short_code };
  const key = codeKey(address.shortCode);
  const known = state.links.get(key);
  if (known && isSameAddress(known, address)) return planDuplicate(state, known, { input, references });
  if (state.formerKeys.has(key)) return rejectCode('validation_failed', CODE_OF_ANOTHER_LINK);
  const owner = state.codeOwners.get(addressKey(address));
  if (known || (owner && owner.workspace !== state.workspace)) return rejectCode('validation_failed', CODE_TAKEN);
  return planCreate(state, { ...input, short_code: address.shortCode }, references);
}

function planCreate(
  state: ImportState,
  input: CreateLinkBody & { short_code: string },
  references: References,
): Outcome {
  return applyChange(state, 'created', { before: null, after: state.createLink(input, references) });
}

function planDuplicate(state: ImportState, before: Link, { input, references }: PlannedInput): Outcome {
  if (state.onDuplicate === 'skip') return { done: 'skipped', link: before };
  if (state.onDuplicate === 'fail') return rejectCode('duplicate', CODE_TAKEN);
  // Both have the same code; different case is no change.
  const after = applyInput(before, { ...input, short_code: before.shortCode }, references);
  const { codeKeys, words } = before;
  return isSame(before, { ...after, codeKeys, words })
    ? { done: 'unchanged', link: before }
    : applyChange(state, 'updated', { before, after });
}

/** Applies the change to the state for later rows, unless a rule or the plan does not allow it. */
function applyChange(
  state: ImportState,
  done: 'created' | 'updated',
  requested: { before: Link | null; after: Link },
): Outcome {
  const problems = problemsIn({
    ...fieldRuleProblems(requested.before, requested.after),
    ...changeProblems(state, requested, state.verdicts),
  });
  if (problems.length > 0) return { done: 'failed', code: 'validation_failed', problems };
  const change = { ...requested, after: admitDestinations(state, requested, state.verdicts) };
  const active = state.active + Number(change.after.status === 'active') - Number(change.before?.status === 'active');
  if (state.activeMax !== null && active > state.activeMax && active > state.active)
    return rejectByQuota('active_links', state.activeMax, state.active);
  const total = state.total + Number(change.before === null);
  if (total > state.totalMax && total > state.total) return rejectByQuota('links', state.totalMax, state.total);
  Object.assign(state, { active, total });
  state.links.set(change.after.codeKeys[0]!, change.after);
  return { done, link: change.after, change };
}

function freshCode(state: ImportState): string {
  const code = newShortCode();
  return state.links.has(code) ? freshCode(state) : code;
}

function rejectCode(code: RowErrorCode, problem: Problem): Outcome {
  return { done: 'failed', code, problems: problemsIn({ short_code: [problem] }) };
}

function rejectByQuota(resource: string, limit: number, current: number): Outcome {
  return {
    done: 'failed',
    code: 'validation_failed',
    problems: quotaProblems(exceededQuota({ resource, limit, current })),
  };
}
