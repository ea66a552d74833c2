import type { ClientSession, Model } from 'mongoose';

/** Sets `linksCount` where it is wrong, in the transaction that counted. @returns how many were wrong */
export async function correctCounts<Item extends { _id: string; linksCount: number }>(
  model: Model<Item>,
  where: object,
  counts: Map<string, number>,
  session: ClientSession,
): Promise<number> {
  const items = await model.find(where, null, { session }).sort({ _id: 1 }).lean<Item[]>();
  const wrong = items.filter(({ _id, linksCount }) => linksCount !== (counts.get(_id) ?? 0));
  for (const { _id } of wrong) {
    const change = { $set: { linksCount: counts.get(_id) ?? 0 } } as object;
    await model.updateOne({ _id } as object, change, { session });
  }
  return wrong.length;
}
