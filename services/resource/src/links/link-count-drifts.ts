import type { ClientSession, Model } from 'mongoose';

interface Counted {
  _id: string;
  linksCount: number;
}

/** The difference of each wrong `linksCount`, by id. */
export type Drifts = Map<string, number>;

/** Call it in the snapshot in which the links were counted: later changes update counters and links alike. */
export async function findDrifts<Item extends Counted>(
  model: Model<Item>,
  { where, counts }: { where: object; counts: ReadonlyMap<string, number> },
  session: ClientSession,
): Promise<Drifts> {
  const items = await model.find(where, { linksCount: 1 }, { session }).lean<Counted[]>();
  const drifts = items.map(({ _id, linksCount }): [string, number] => [_id, (counts.get(_id) ?? 0) - linksCount]);
  return new Map(drifts.filter(([, difference]) => difference !== 0));
}

/** @returns the number of wrong counters */
export async function correctDrifts<Item extends Counted>(model: Model<Item>, drifts: Drifts): Promise<number> {
  for (const [_id, difference] of drifts) {
    await model.updateOne({ _id }, { $inc: { linksCount: difference } }, { timestamps: false });
  }
  return drifts.size;
}
