import type { BreakdownBody, Dimension } from '@waymark/shared/contract/analytics';
import { piecesBetween } from '../rollups/pieces.js';
import { readCells, vocabularyIds, type RollupReader } from '../rollups/read-cells.js';
import { segmentsIn } from '../rollups/segments.js';
import { wordOf } from '../rollups/vocabulary.js';
import { blockOf, vocabularyId } from '../rollups/vocabulary-store.js';
import type { Selection } from '../selection/selection.js';

interface Count {
  scans: number;
  visitors: number;
}

/** The scans and visitors of a selection by the values of one dimension, ranked. */
export async function showBreakdown(
  reader: RollupReader,
  selection: Selection,
  { dimension, limit }: { dimension: Dimension; limit: number },
): Promise<BreakdownBody> {
  const { startsAt, endsAt } = selection.days;
  const pieces = piecesBetween([startsAt.getTime(), endsAt.getTime()]);
  const blocks = new Map(pieces.map(({ day }) => [blockOf(day), new Map<number, Count>()]));
  const question = { selection, dimension, pieces, segments: segmentsIn(selection) };
  await readCells(reader, question, ({ value }, { day }, scans, visitors) => {
    add(blocks.get(blockOf(day))!, value, scans, visitors);
  });
  // After the cells: whatever they name is in the vocabularies by now.
  const words = await reader.vocabularies.words(vocabularyIds(selection.workspace, pieces), dimension);
  const values = new Map<string, Count>();
  for (const { day } of pieces) {
    const block = blockOf(day);
    for (const [id, { scans, visitors }] of blocks.get(block) ?? []) {
      add(values, wordOf(words.get(vocabularyId(selection.workspace, day))!, id), scans, visitors);
    }
    blocks.delete(block);
  }
  return ranked(values, dimension, limit);
}

function ranked(values: ReadonlyMap<string, Count>, dimension: Dimension, limit: number): BreakdownBody {
  const counted = [...values].filter(([, { scans }]) => scans > 0);
  const total = counted.reduce((sum, [, { scans }]) => sum + scans, 0);
  const data = counted
    .sort(([a, { scans }], [b, { scans: others }]) => others - scans || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([value, { scans, visitors }]) => ({ value, scans, unique_visitors: visitors, share: scans / total }));
  return { data, meta: { dimension, total, limit } };
}

function add<K>(counts: Map<K, Count>, key: K, scans: number, visitors: number): void {
  const count = counts.get(key);
  if (count) {
    count.scans += scans;
    count.visitors += visitors;
  } else counts.set(key, { scans, visitors });
}
