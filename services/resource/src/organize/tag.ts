import { tagCreated, tagDeleted, tagUpdated } from '@waymark/contract/events';
import type { CreateTagBody, TagBody } from '@waymark/contract/tags';
import { withoutJoiners } from '@waymark/contract/visible-text';
import type { LinkContainer } from './container-store.js';
import { valueOr, presentNamed, type NamedItemKind } from './named-item.js';

export interface Tag extends LinkContainer {
  color: string | null;
}

export const TAG: NamedItemKind<Tag, CreateTagBody> = {
  target: 'tag',
  noun: 'tag',
  idPrefix: 'tag',
  events: { created: tagCreated, updated: tagUpdated, deleted: tagDeleted },
  audited: { name: 'name', color: 'color' },
  blank: { color: null, linksCount: 0, deletedAt: null },
  apply: (tag, { color }) => ({ ...tag, color: valueOr(color, tag.color) }),
  nameKey: (name) => withoutJoiners(name).normalize('NFKC').toLowerCase(),
  present: ({ color, linksCount, ...named }): TagBody => ({ ...presentNamed(named), color, links_count: linksCount }),
};
