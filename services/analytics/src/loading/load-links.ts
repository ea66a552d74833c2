import type { Log } from '@waymark/kernel/process/log';
import type { Link } from '../links/link.js';
import { lastWorkspaceOf, type LinkCopies } from '../links/link-copies.js';
import { linkRow } from '../links/link-row.js';
import { asOutage, isRowRefusal } from '../warehouse/errors.js';
import type { Warehouse } from '../warehouse/warehouse.js';

/** More of them would block the event loop for too long while they are marked as loaded. */
const LOADED_AT_ONCE = 2000;

export interface LoadLinksContext {
  copies: LinkCopies;
  warehouse: Warehouse;
  log: Log;
}

/** Loads the latest versions of links. Workspaces take turns: one that changes very many links delays no other. */
export class LinkLoader {
  private lastWorkspace: string | null = null;

  constructor(private readonly ctx: LoadLinksContext) {}

  /**
   * Loads some links. At least once: the warehouse keeps the highest version of each.
   * @returns the number of links, including refused ones; 0 when none is left
   */
  async loadSome(): Promise<number> {
    const links = await this.ctx.copies.linksToLoad(LOADED_AT_ONCE, { after: this.lastWorkspace });
    this.lastWorkspace = lastWorkspaceOf(links);
    if (links.length > 0) await insertLinks(this.ctx, links);
    return links.length;
  }
}

async function insertLinks(ctx: LoadLinksContext, links: readonly Link[]): Promise<void> {
  try {
    await ctx.warehouse.client.insert({ table: 'links', values: links.map(linkRow), format: 'JSONEachRow' });
  } catch (thrown) {
    ctx.warehouse.recreateAfter(thrown);
    const error = asOutage(thrown);
    if (!isRowRefusal(error)) throw error;
    return handleRefusal(ctx, links, error);
  }
  await ctx.copies.markLoaded(links);
}

/** Halves the links until each refused one is alone, and sets that one aside. */
async function handleRefusal(ctx: LoadLinksContext, links: readonly Link[], error: unknown): Promise<void> {
  if (links.length === 1) {
    const { _id, workspace } = links[0]!;
    await ctx.copies.setAside(links[0]!, error);
    ctx.log.error({ err: error, workspace, link_id: _id }, 'link set aside: the warehouse refuses it');
    return;
  }
  const middle = Math.ceil(links.length / 2);
  await insertLinks(ctx, links.slice(0, middle));
  await insertLinks(ctx, links.slice(middle));
}
