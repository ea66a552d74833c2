import { isRowRefusal } from '../warehouse/errors.js';

interface InsertSteps<Item> {
  insert: (items: readonly Item[]) => Promise<void>;
  /** Called with each item that the warehouse refuses alone. */
  onRefused: (item: Item, error: unknown) => Promise<void> | void;
}

/** Inserts items; halves those that the warehouse refuses until each refused one is alone. */
export async function insertByHalves<Item>(items: readonly Item[], steps: InsertSteps<Item>): Promise<void> {
  try {
    await steps.insert(items);
  } catch (error) {
    if (!isRowRefusal(error)) throw error;
    if (items.length === 1) return steps.onRefused(items[0]!, error);
    const middle = Math.ceil(items.length / 2);
    await insertByHalves(items.slice(0, middle), steps);
    await insertByHalves(items.slice(middle), steps);
  }
}
