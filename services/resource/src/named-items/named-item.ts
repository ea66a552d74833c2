import type { EventDefinition } from '@waymark/shared/contract/event';
import type { ResourceContext } from '../context.js';
import type { Cap } from '../quota/caps.js';
import type { NamedItemStore } from './store.js';

/** A folder, a tag or a UTM template: something of a workspace that people tell apart by its name. */
export interface NamedItem {
  _id: string;
  workspace: string;
  name: string;
  /** Unique in its workspace. */
  nameKey: string;
  createdAt: Date;
  updatedAt: Date;
}

type NamedEvent = EventDefinition<{ id: string; name: string }>;

/** What is particular to folders, tags or templates. */
export interface NamedItemKind<Item extends NamedItem, Body> {
  target: 'folder' | 'tag' | 'utm_template';
  idPrefix: 'fld' | 'tag' | 'utm';
  events: { created: NamedEvent; updated: NamedEvent; deleted: NamedEvent };
  /** What a person can change, by its wire name. */
  audited: Readonly<Record<string, keyof Item>>;
  /** An item before any body has been applied to it. */
  blank: Omit<Item, keyof NamedItem>;
  /** What the body does not name stays as it is. */
  apply(item: Item, body: Partial<Body>): Item;
  /** Two names with the same key are the same name. */
  nameKey(name: string): string;
  present: (item: Item) => object;
  storeOf(ctx: ResourceContext): NamedItemStore<Item>;
  capOf(ctx: ResourceContext): Cap;
  /** Takes a deleted item out of what refers to it. */
  detach?(ctx: ResourceContext, item: Item): Promise<unknown>;
}

/** For fields of a body: `undefined` is not named. */
export const given = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

export function presentNamed({ _id, name, createdAt, updatedAt }: NamedItem) {
  return { id: _id, name, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
