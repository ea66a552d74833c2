import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import { linkCreated } from '@waymark/shared/contract/events';
import { newId } from '@waymark/shared/contract/ids';
import type { CreateLinkBody } from '@waymark/shared/contract/links';
import { invalid } from '@waymark/shared/kernel/errors';
import type { ResourceContext } from '../context.js';
import { AUDITED, codeKey, codeOf, NO_UTM, snapshotOf, type Link } from './link.js';
import { newShortCode } from './short-code.js';

const CODES_TRIED_MAX = 5;

export async function createLink(
  ctx: ResourceContext,
  event: EventContext,
  workspace: string,
  input: CreateLinkBody,
): Promise<Link> {
  if (input.short_code !== undefined) {
    const link = await insert(ctx, event, newLink(workspace, event, input, input.short_code));
    if (link === 'short_code_taken') throw shortCodeTaken();
    return link;
  }
  for (let tried = 0; tried < CODES_TRIED_MAX; tried += 1) {
    const link = await insert(ctx, event, newLink(workspace, event, input, newShortCode()));
    if (link !== 'short_code_taken') return link;
  }
  throw new Error(`no free short code among ${CODES_TRIED_MAX}`);
}

export const shortCodeTaken = () => invalid({ short_code: ['The short_code is already taken.'] });

/** Undoes the transaction of a taken code, and says so to the caller outside. */
class ShortCodeTaken extends Error {}

async function insert(ctx: ResourceContext, event: EventContext, link: Link): Promise<Link | 'short_code_taken'> {
  try {
    return await ctx.db.transaction(async (tx) => {
      if ((await ctx.codes.claim(codeOf(link), tx.session)) === 'short_code_taken') throw new ShortCodeTaken();
      if ((await ctx.links.insert(link, tx.session)) === 'short_code_taken') throw new ShortCodeTaken();
      const data = { link: snapshotOf(link, ctx.config.SHORT_BASE_URL) };
      const target = { type: 'link', id: link._id, label: link.title ?? link.shortCode };
      tx.emit(linkCreated.create(event, data, { target, changes: changesBetween(AUDITED, null, link) }));
      return link;
    });
  } catch (error) {
    if (error instanceof ShortCodeTaken) return 'short_code_taken';
    throw error;
  }
}

function newLink(workspace: string, event: EventContext, input: CreateLinkBody, shortCode: string): Link {
  const now = new Date();
  return {
    _id: newId('lnk'),
    workspace,
    hostname: null,
    shortCode,
    codeKey: codeKey(shortCode),
    title: input.title ?? null,
    destinationUrl: input.destination_url,
    campaignTag: input.campaign_tag ?? null,
    utmDefaults: { ...NO_UTM, ...input.utm_defaults },
    status: input.status ?? 'active',
    scansCount: 0,
    lastScannedAt: null,
    createdBy: event.actor?.id ?? null,
    archivedAt: input.status === 'archived' ? now : null,
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
}
