import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { TurnContext } from '../links/run-change.js';
import type { Cap } from './caps.js';
import type { NamedItem } from './named-item.js';
import type { NamedItemStore } from './named-item-store.js';

interface ChangeContext extends TurnContext {
  /** Bounds the lists that are read at the same time. */
  lists: KeyedLimit;
}

/** What the routes of one kind of item need: folders, tags or UTM templates. */
export interface NamedItemContext<Item extends NamedItem> extends ChangeContext {
  store: NamedItemStore<Item>;
  cap: Cap;
  /** Removes references to a deleted item. */
  detach?: (item: Item) => Promise<unknown>;
}
