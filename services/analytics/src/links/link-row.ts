import { NONE } from '../warehouse/query/scan-query.js';
import type { Link } from './link.js';

/** Returns the row of a link in the table of links. */
export function linkRow({ _id: id, workspace, domainId, folderId, tagIds, version }: Link) {
  const tags = tagIds?.length ? tagIds : [NONE];
  return { workspace, id, domain: domainId ?? NONE, folder: folderId ?? NONE, tags, version };
}
