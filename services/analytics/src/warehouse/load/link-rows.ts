import type { Link } from '../../links/link.js';

/** The domain, folder or tag of a link without one. */
export const NONE = 'none';

/** Returns the row of a link in the table of links. */
export function linkRow({ _id: id, workspace, domainId, folderId, tagIds = [], version }: Link) {
  const tags = tagIds.length === 0 ? [NONE] : tagIds;
  return { workspace, id, domain: domainId ?? NONE, folder: folderId ?? NONE, tags, version };
}
