import type { EventDefinition } from '@waymark/contract/event';

/** A folder, a tag or a UTM template: an item of a workspace with a unique name. */
export interface NamedItem {
  _id: string;
  workspace: string;
  name: string;
  /** Unique in its workspace. */
  nameKey: string;
  createdAt: Date;
  updatedAt: Date;
}

interface NamedEventData {
  id: string;
  name: string;
  color?: string | null;
}
type NamedEvent = EventDefinition<NamedEventData>;

/** The parts that differ between folders, tags and templates. */
export interface NamedItemKind<Item extends NamedItem, Body> {
  target: 'folder' | 'tag' | 'utm_template';
  /** As messages call it. */
  noun: string;
  idPrefix: 'fld' | 'tag' | 'utm';
  events: { created: NamedEvent; updated: NamedEvent; deleted: NamedEvent };
  /** The editable fields, by their wire names. */
  audited: Readonly<Record<string, keyof Item>>;
  /** An item before a body is applied to it. */
  blank: Omit<Item, keyof NamedItem>;
  /** Leaves fields that the body does not have unchanged. */
  apply(item: Item, body: Partial<Body>): Item;
  /** Two names with the same key are the same name. */
  nameKey(name: string): string;
  present: (item: Item) => object;
}

/** For fields of a body: `undefined` means absent. */
export const valueOr = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

export function eventDataOf({ _id: id, name, color }: NamedItem & { color?: string | null }): NamedEventData {
  return { id, name, ...(color !== undefined && { color }) };
}

export function presentNamed({ _id, name, createdAt, updatedAt }: NamedItem) {
  return { id: _id, name, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
