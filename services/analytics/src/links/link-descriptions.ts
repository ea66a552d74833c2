import type { LinkSnapshot, ScannedLink } from '@waymark/contract/events';
import { findLinks, FOUND_LINKS_MAX } from '@waymark/contract/requests';
import type { Requester } from '@waymark/kernel/broker/requests';
import { isOutage } from '@waymark/kernel/errors';
import type { Link } from './link.js';
import type { LinkCopies } from './link-copies.js';
import type { Tag, TagStore } from './tag-store.js';

/** The fields of a scanned link that the scan itself does not have. */
export type LinkDescription = Required<Pick<ScannedLink, 'folder_id' | 'tags'>>;

interface ScannedId {
  workspace: string;
  linkId: string;
}

/** The owner usually answers within a few milliseconds; without an answer the scans are announced as they are known. */
const OWNER_TIMEOUT_MS = 1000;

/** Describes scanned links by their copies, and by the owner's answer where a copy or the name of a tag is missing. */
export class LinkDescriptions {
  constructor(
    private readonly copies: Pick<LinkCopies, 'findCopies'>,
    private readonly tags: TagStore,
    private readonly requester: Requester,
  ) {}

  /** Returns the descriptions by the id of the link. */
  async describeLinks(scans: readonly ScannedId[]): Promise<Map<string, LinkDescription>> {
    const workspaces = new Map(scans.map(({ linkId, workspace }) => [linkId, workspace]));
    const copies = await this.copies.findCopies([...workspaces.keys()]);
    const tags = await this.tags.findTags([...new Set(copies.flatMap(({ tagIds = [] }) => tagIds))]);
    const complete = copies.filter(({ tagIds }) => tagIds?.every((id) => tags.has(id)));
    const descriptions = new Map<string, LinkDescription>();
    for (const id of workspaces.keys()) descriptions.set(id, { folder_id: null, tags: [] });
    for (const copy of copies) descriptions.set(copy._id, descriptionOf(copy, tags));
    for (const { _id } of complete) workspaces.delete(_id);
    for (const link of await this.askOwner(workspaces)) {
      descriptions.set(link.id, { folder_id: link.folder_id ?? null, tags: link.tags ?? [] });
    }
    return descriptions;
  }

  /** Stops at the first question without an answer: ingestion must not wait for the owner. */
  private async askOwner(workspaces: ReadonlyMap<string, string>): Promise<LinkSnapshot[]> {
    const answered: LinkSnapshot[] = [];
    try {
      for (const [workspace, ids] of idsByWorkspace(workspaces)) {
        for (let start = 0; start < ids.length; start += FOUND_LINKS_MAX) {
          const question = { workspace, ids: ids.slice(start, start + FOUND_LINKS_MAX) };
          const { links } = await this.requester.ask(findLinks, question, OWNER_TIMEOUT_MS);
          await this.tags.saveTags(links.flatMap((link) => tagsIn(workspace, link)));
          answered.push(...links);
        }
      }
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    return answered;
  }
}

/** QR codes have neither folders nor tags. */
export const NO_DESCRIPTIONS: Pick<LinkDescriptions, 'describeLinks'> = {
  describeLinks: () => Promise.resolve(new Map()),
};

/** Returns the tags that a link tells; an event of the tag itself is newer. */
export const tagsIn = (workspace: string, { tags = [] }: LinkSnapshot): Tag[] =>
  tags.map(({ id, name, color }) => ({ _id: id, workspace, name, color, revision: 0 }));

const descriptionOf = (copy: Link, tags: ReadonlyMap<string, Tag>): LinkDescription => ({
  folder_id: copy.folderId ?? null,
  tags: (copy.tagIds ?? []).flatMap((id) => {
    const tag = tags.get(id);
    return tag ? { id, name: tag.name, color: tag.color } : [];
  }),
});

function idsByWorkspace(workspaces: ReadonlyMap<string, string>): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const [id, workspace] of workspaces) {
    const ids = grouped.get(workspace);
    if (ids) ids.push(id);
    else grouped.set(workspace, [id]);
  }
  return grouped;
}
