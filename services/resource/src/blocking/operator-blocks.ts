import { parse } from 'tldts';
import { destinationBlocked, destinationUnblocked } from '@waymark/contract/events';
import { parentDomainsOf } from '@waymark/contract/hostname';
import { DESTINATION_BLOCKS_MAX } from '@waymark/contract/requests';
import { invalidOption } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import { toDestinationBlock, type HostBlock, type HostBlockStore } from '../destinations/host-block-store.js';
import type { SaveContext } from '../links/context.js';
import type { Link } from '../links/link.js';
import { saveLinks } from '../links/save-links.js';
import { withBlock } from './apply-blocks.js';
import { findNamedLink } from './find-named-link.js';

export interface OperatorContext extends SaveContext {
  db: Database;
  hostBlocks: HostBlockStore;
  /** The hosts of the default short host. */
  shortHosts: ReadonlySet<string>;
}

/** Blocks the link, or changes the reason. Idempotent. @param name its id or short URL */
export async function blockLink(ctx: OperatorContext, name: string, reason: string): Promise<Link> {
  return changeLink(ctx, name, ({ blocked }) =>
    blocked?.by === 'operator' && blocked.reason === reason ? undefined : { at: new Date(), reason, by: 'operator' },
  );
}

/** Ends the operator's block of the link. Idempotent. @throws AppError for a block that its destination is the cause of */
export async function unblockLink(ctx: OperatorContext, name: string): Promise<Link> {
  return changeLink(ctx, name, ({ blocked }) => {
    if (!blocked) return undefined;
    if (blocked.by === 'operator') return null;
    const cause =
      blocked.by === 'checker'
        ? 'the service of DESTINATION_CHECK_URL blocks it'
        : 'its host is blocked, or it is in DESTINATION_BLOCKLIST';
    throw invalidOption('link', `The link is blocked for its destination: ${cause}. It is free once that ends.`);
  });
}

async function changeLink(
  ctx: OperatorContext,
  name: string,
  decide: (link: Link) => Link['blocked'] | undefined,
): Promise<Link> {
  const { workspace, _id } = await findNamedLink(ctx, name);
  return ctx.db.transaction(async (tx) => {
    const before = await ctx.links.findLink(workspace, _id, tx.session);
    if (!before) throw invalidOption('link', 'The link does not exist.');
    const block = decide(before);
    if (block === undefined) return before;
    // The sweep compares it with what else is blocked.
    const after = { ...withBlock(before, block), ...(block === null && { checkPending: true }) };
    const owner = { slug: workspace, plan: { activeLinks: null } };
    await saveLinks(ctx, tx, { owner, event: { workspace }, changes: [{ before, after }] });
    return after;
  });
}

/** Blocks the host with its subdomains as a destination, or changes the reason. Idempotent. */
export const blockHost = (ctx: OperatorContext, host: string, reason: string): Promise<void> =>
  changeHost(ctx, host, { isBlocked: true, reason });

export const unblockHost = (ctx: OperatorContext, host: string): Promise<void> =>
  changeHost(ctx, host, { isBlocked: false, reason: '' });

async function changeHost(
  { db, hostBlocks }: OperatorContext,
  host: string,
  change: Pick<HostBlock, 'isBlocked' | 'reason'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await hostBlocks.findBlock(host, tx.session);
    const isSame = before
      ? before.isBlocked === change.isBlocked && before.reason === change.reason
      : !change.isBlocked;
    if (isSame) return;
    if (!before && (await hostBlocks.countBlocks(tx.session)) >= DESTINATION_BLOCKS_MAX) {
      throw invalidOption('host', `More than ${DESTINATION_BLOCKS_MAX} hosts: use DESTINATION_BLOCKLIST.`);
    }
    const after = { _id: host, ...change, changedAt: new Date(), revision: (before?.revision ?? 0) + 1 };
    await hostBlocks.saveBlock(after, tx.session);
    const definition = change.isBlocked ? destinationBlocked : destinationUnblocked;
    tx.emit(definition.create({ workspace: null }, toDestinationBlock(after)));
  });
}

/** Returns the host as destinations have it. @throws AppError for text that is no host */
export function toBlockedHost(text: string): string {
  const url = /[/\\?#@:\s]/.test(text.replace(/^\[.*\]$/, '')) ? null : URL.parse(`http://${text}/`);
  if (!url) throw invalidOption('host', 'must be a host without scheme, port and path, such as evil.example');
  const host = parentDomainsOf(url.hostname)[0]!;
  // The links of the whole installation would be blocked by a typing error.
  const { isIcann, domain } = parse(host);
  if (isIcann === true && domain === null) {
    throw invalidOption('host', `must not be ${host}, below which others register their names`);
  }
  return host;
}
