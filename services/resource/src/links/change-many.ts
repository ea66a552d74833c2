import { setImmediate as nextIteration } from 'node:timers/promises';
import type { BulkBody, BulkResult } from '@waymark/contract/bulk-changes';
import { TAGS_MAX, TOO_MANY_TAGS } from '@waymark/contract/references';
import { AppError, invalid, missing } from '@waymark/kernel/errors';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { errorBody } from '@waymark/kernel/http/envelope';
import { quotaReached } from '@waymark/kernel/mongo/quota';
import { applyInput, checkFieldRules, type LinkInput } from './apply-input.js';
import type { Author, Change } from './change.js';
import type { ChangeContext } from './context.js';
import type { Link } from './link.js';
import { runChange } from './run-change.js';
import { saveLinks } from './save-links.js';
import { prepareAllStatusCounts } from './status-counts.js';
import { isSame } from './update-link.js';

interface ManyChanges extends Author {
  input: BulkBody;
}

/** The state before an id: as the transaction sees it, plus the changes of the ids before. */
interface State {
  /** `null` for an id that does not exist, or no longer. */
  links: Map<string, Link | null>;
  activeCount: number;
}

/**
 * Changes links in the order of their ids, in one transaction. Each gets the result that a request for it alone would
 * get after those before it; one event per changed link.
 */
export async function changeMany(ctx: ChangeContext, many: ManyChanges): Promise<BulkResult[]> {
  const { owner, signal } = many;
  await prepareAllStatusCounts(ctx.counts, owner.slug);
  return runChange(ctx, { workspace: owner.slug, signal }, (tx) => applyAll(ctx, tx, many));
}

/** The largest logos of this many QR codes are read, hashed and written in turns of at most 14 ms of CPU time. */
const CHANGED_AT_ONCE = 20;

async function applyAll(ctx: ChangeContext, tx: Transaction, many: ManyChanges): Promise<BulkResult[]> {
  const { owner, input } = many;
  const state: State = {
    links: new Map(),
    activeCount: await ctx.counts.active.countUsed(owner.slug, tx.session),
  };
  const results: BulkResult[] = [];
  for (let start = 0; start < input.ids.length; start += CHANGED_AT_ONCE) {
    const ids = input.ids.slice(start, start + CHANGED_AT_ONCE);
    results.push(...(await applySome(ctx, tx, { ...many, ids, state })));
    await nextIteration();
  }
  return results;
}

async function applySome(
  ctx: ChangeContext,
  tx: Transaction,
  some: ManyChanges & { ids: readonly string[]; state: State },
): Promise<BulkResult[]> {
  const { owner, event, ids, state } = some;
  const unread = [...new Set(ids)].filter((id) => !state.links.has(id));
  for (const id of unread) state.links.set(id, null);
  for (const link of await ctx.links.findLinks(owner.slug, unread, tx.session)) state.links.set(link._id, link);
  const planned = ids.map((id) => planChange(ctx, state, { ...some, id }));
  const changes = planned.flatMap(({ change }) => change ?? []);
  if (changes.length > 0) await saveLinks(ctx, tx, { owner, event, changes });
  return planned.map(({ result }) => result);
}

interface Planned {
  result: BulkResult;
  /** Absent if the link stays as it is. */
  change?: Change;
}

function planChange(ctx: ChangeContext, state: State, one: ManyChanges & { id: string }): Planned {
  const { id } = one;
  try {
    const before = state.links.get(id);
    if (!before) throw missing(ctx.contentType.noun, id);
    const change = one.input.action === 'delete' ? { before, after: null } : update(ctx, before, { ...one, state });
    if (!change) return { result: { id, status: 200 } };
    record(state, change);
    return { result: { id, status: change.after ? 200 : 204 }, change };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { result: { id, status: error.status, error: errorBody(error) } };
  }
}

/** Returns the change, or `null` if the link is already so. @throws AppError `validation_failed` */
function update(ctx: ChangeContext, before: Link, { owner, input, state }: ManyChanges & { state: State }) {
  const after = applyInput(before, fieldsOf(before, input), { domain: undefined, templateValues: {} });
  if (isSame(before, after)) return null;
  checkFieldRules(before, after);
  const limit = owner.plan.activeLinks;
  const isActivated = after.status === 'active' && before.status !== 'active';
  if (isActivated && limit !== null && state.activeCount >= limit)
    throw quotaReached({ resource: ctx.contentType.counted.active, limit, current: state.activeCount });
  return { before, after };
}

function fieldsOf({ tagIds }: Link, { action, folder_id, tag_ids: given }: BulkBody): LinkInput {
  const tags = given ?? [];
  switch (action) {
    case 'archive':
      return { status: 'archived' };
    case 'reactivate':
      return { status: 'active' };
    case 'move':
      return { folder_id };
    case 'add_tags': {
      const all = [...new Set([...tagIds, ...tags])];
      if (all.length > TAGS_MAX && all.length > tagIds.length) throw invalid({ tag_ids: [TOO_MANY_TAGS] });
      return { tag_ids: all };
    }
    case 'remove_tags':
      return { tag_ids: tagIds.filter((id) => !tags.includes(id)) };
    case 'delete':
      return {};
  }
}

function record(state: State, { before, after }: Change): void {
  state.activeCount += Number(after?.status === 'active') - Number(before?.status === 'active');
  state.links.set(before!._id, after);
}
