import type { LinkCopies } from '../links/link-copies.js';
import { asOutage } from '../warehouse/errors.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { linkRow } from '../links/link-row.js';

/** More of them would block the event loop for too long while they are marked as loaded. */
const LOADED_AT_ONCE = 2000;

/**
 * Loads the latest versions of some links. At least once: the warehouse keeps the highest version of each.
 * @returns the number of links; 0 when the warehouse has all
 */
export async function loadLinks({ copies, warehouse }: { copies: LinkCopies; warehouse: Warehouse }): Promise<number> {
  const links = await copies.linksToLoad(LOADED_AT_ONCE);
  if (links.length === 0) return 0;
  const values = links.map(linkRow);
  await warehouse.client.insert({ table: 'links', values, format: 'JSONEachRow' }).catch((error: unknown) => {
    warehouse.recreateAfter(error);
    throw asOutage(error);
  });
  await copies.markLoaded(links);
  return links.length;
}
