import {
  changeLinks,
  deleteLink,
  updateLink,
  type BulkChange,
  type BulkOutcome,
  type BulkResult,
} from '../../api/links.js';
import { asFailure, Failure } from '../../api/failure.js';
import { has, workspace } from '../../app/session.js';
import { contentRoute } from '../../config/config.js';

/** Changes links until a request fails temporarily: several by one request where the server offers it. */
export async function applyChange(ids: string[], change: BulkChange): Promise<BulkOutcome> {
  if (has(contentRoute('bulk'))) return changeLinks(workspace.value, ids, change);
  const results: BulkResult[] = [];
  for (const id of ids) {
    const result = await changeOne(id, change);
    if (result instanceof Failure) return { results, failure: result };
    results.push(result);
  }
  return { results };
}

async function changeOne(id: string, change: BulkChange): Promise<BulkResult | Failure> {
  try {
    if (change.action === 'delete') await deleteLink(workspace.value, id);
    else await updateLink(workspace.value, id, { body: bodyOf(change), tag: null });
    return { id, status: 200 };
  } catch (error) {
    const failure = asFailure(error);
    if (failure.isTemporary || failure.kind === 'ended') return failure;
    return { id, status: failure.status, error: { code: failure.kind, message: failure.message } };
  }
}

const bodyOf = ({ action, folder_id, tag_ids }: BulkChange) => {
  if (action === 'move') return { folder_id: folder_id ?? null };
  if (action === 'add_tags') return { tag_ids: tag_ids ?? [] };
  return { status: action === 'archive' ? ('archived' as const) : ('active' as const) };
};
