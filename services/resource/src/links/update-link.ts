import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import { linkArchived, linkReactivated, linkUpdated } from '@waymark/shared/contract/events';
import type { UpdateLinkBody } from '@waymark/shared/contract/links';
import type { Transaction } from '@waymark/shared/kernel/database';
import { AppError, invalid, notFound } from '@waymark/shared/kernel/errors';
import type { ResourceContext } from '../context.js';
import { shortCodeTaken } from './create-link.js';
import { AUDITED, codeKey, codeOf, NO_UTM, snapshotOf, type Link } from './link.js';

const ATTEMPTS_MAX = 5;

/** Changes what the input names; one change makes one event, named by the status change if there is one. */
export async function updateLink(
  ctx: ResourceContext,
  event: EventContext,
  workspace: string,
  id: string,
  input: UpdateLinkBody,
): Promise<Link> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const updated = await ctx.db.transaction((tx) => tryUpdate(ctx, tx, event, workspace, id, input));
    if (updated !== 'changed_meanwhile') return updated;
  }
  throw new AppError('conflict', 'The link is being changed by others. Try again.');
}

async function tryUpdate(
  ctx: ResourceContext,
  tx: Transaction,
  event: EventContext,
  workspace: string,
  id: string,
  input: UpdateLinkBody,
): Promise<Link | 'changed_meanwhile'> {
  const before = await ctx.links.byId(workspace, id, tx.session);
  if (!before) throw notFound();
  const after = applied(before, input);
  const changes = changesBetween(AUDITED, before, after);
  if (Object.keys(changes).length === 0) return before;
  if (changes['short_code'] && before.scansCount > 0) {
    throw invalid({ short_code: ['The short_code cannot be changed after the first scan.'] });
  }
  if (after.codeKey !== before.codeKey) {
    if ((await ctx.codes.claim(codeOf(after), tx.session)) === 'short_code_taken') throw shortCodeTaken();
    await ctx.codes.release(codeOf(before), tx.session);
  }
  const change = pick(after, CHANGEABLE);
  const outcome = await ctx.links.update(before, change, tx.session);
  if (outcome === 'short_code_taken') throw shortCodeTaken();
  if (outcome === 'changed_meanwhile') return outcome;

  const target = { type: 'link', id: after._id, label: after.title ?? after.shortCode };
  const data = { link: snapshotOf(after, ctx.config.SHORT_BASE_URL) };
  tx.emit(eventOf(before, after).create(event, data, { target, changes }));
  return after;
}

/** What a change writes; counters and identity are not its business. */
const CHANGEABLE = [
  'title',
  'destinationUrl',
  'campaignTag',
  'utmDefaults',
  'status',
  'archivedAt',
  'shortCode',
  'codeKey',
  'updatedAt',
] as const satisfies (keyof Link)[];

function pick<K extends keyof Link>(link: Link, keys: readonly K[]): Pick<Link, K> {
  return Object.fromEntries(keys.map((key) => [key, link[key]])) as Pick<Link, K>;
}

function applied(before: Link, input: UpdateLinkBody): Link {
  const now = new Date();
  const status = input.status ?? before.status;
  const shortCode = input.short_code ?? before.shortCode;
  return {
    ...before,
    title: input.title === undefined ? before.title : input.title,
    destinationUrl: input.destination_url ?? before.destinationUrl,
    campaignTag: input.campaign_tag === undefined ? before.campaignTag : input.campaign_tag,
    utmDefaults: input.utm_defaults === null ? NO_UTM : { ...before.utmDefaults, ...input.utm_defaults },
    status,
    archivedAt: status === before.status ? before.archivedAt : status === 'archived' ? now : null,
    shortCode,
    codeKey: codeKey(shortCode),
    updatedAt: now,
    revision: before.revision + 1,
  };
}

function eventOf(before: Link, after: Link) {
  if (before.status === after.status) return linkUpdated;
  return after.status === 'archived' ? linkArchived : linkReactivated;
}
