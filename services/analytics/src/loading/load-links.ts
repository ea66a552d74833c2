import type { Log } from '@waymark/kernel/process/log';
import { linkRow, type Link } from '../links/link.js';
import { lastWorkspaceOf, type LinkCopies } from '../links/link-copies.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { insertByHalves } from './insert-by-halves.js';

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

async function insertLinks({ copies, warehouse, log }: LoadLinksContext, links: readonly Link[]): Promise<void> {
  await insertByHalves(links, {
    insert: async (some) => {
      const values = some.map(linkRow);
      await warehouse.run((client) => client.insert({ table: 'links', values, format: 'JSONEachRow' }));
      await copies.markLoaded(some);
    },
    onRefused: async (link, error) => {
      await copies.setAside(link, error);
      const fields = { err: error, workspace: link.workspace, link_id: link._id };
      log.error(fields, 'link set aside: the warehouse refuses it');
    },
  });
}
