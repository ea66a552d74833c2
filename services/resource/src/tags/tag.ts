import { tagCreated, tagDeleted, tagUpdated } from '@waymark/contract/events';
import type { CreateTagBody, TagBody } from '@waymark/contract/tags';
import { withoutJoiners } from '@waymark/contract/visible-text';
import { detachSome } from '../links/detach-links.js';
import type { Holder } from '../named-items/holder-store.js';
import { given, presentNamed, type NamedItemKind } from '../named-items/named-item.js';

export interface Tag extends Holder {
  color: string | null;
}

export const TAG: NamedItemKind<Tag, CreateTagBody> = {
  target: 'tag',
  idPrefix: 'tag',
  events: { created: tagCreated, updated: tagUpdated, deleted: tagDeleted },
  audited: { name: 'name', color: 'color' },
  blank: { color: null, linksCount: 0, deletedAt: null },
  apply: (tag, { color }) => ({ ...tag, color: given(color, tag.color) }),
  nameKey: (name) => withoutJoiners(name).normalize('NFKC').toLowerCase(),
  present: ({ color, linksCount, ...named }): TagBody => ({ ...presentNamed(named), color, links_count: linksCount }),
  storeOf: (ctx) => ctx.tags,
  capOf: (ctx) => ctx.caps.tags,
  detach: (ctx, tag) => detachSome(ctx, 'tags', tag),
};
