import type { BreakdownBody, Dimension } from '@waymark/shared/contract/analytics';
import { piecesBetween } from '../rollups/pieces.js';
import { readCells, type RollupReader } from '../rollups/read-cells.js';
import { segmentsIn } from '../rollups/segments.js';
import { wordOf } from '../rollups/vocabulary.js';
import { vocabularyId } from '../rollups/vocabulary-store.js';
import type { Selection } from '../selection/selection.js';

interface Count {
  scans: number;
  visitors: number;
}

/** By the ids that the values have in one vocabulary. */
interface CountsById {
  scans: number[];
  visitors: number[];
}

/** The scans and visitors of a selection by the values of one dimension, ranked. */
export async function showBreakdown(
  reader: RollupReader,
  selection: Selection,
  { dimension, limit }: { dimension: Dimension; limit: number },
): Promise<BreakdownBody> {
  const { startsAt, endsAt } = selection.days;
  const byVocabulary = new Map<string, CountsById>();
  const pieces = piecesBetween([startsAt.getTime(), endsAt.getTime()]).map((piece) => {
    const vocabulary = vocabularyId(selection.workspace, piece.day);
    const counts = byVocabulary.get(vocabulary) ?? { scans: [], visitors: [] };
    byVocabulary.set(vocabulary, counts);
    return { ...piece, counts };
  });
  const question = { selection, dimension, pieces, segments: segmentsIn(selection), byValueAlone: true };
  // There may be hundreds of thousands of rows.
  await readCells(reader, question, ({ value }, { counts }, scans, visitors) => {
    counts.scans[value] = (counts.scans[value] ?? 0) + scans;
    counts.visitors[value] = (counts.visitors[value] ?? 0) + visitors;
  });
  // After the cells: whatever they name is in the vocabularies by now.
  const words = await reader.vocabularies.words([...byVocabulary.keys()], dimension);
  const values = new Map<string, Count>();
  for (const [vocabulary, { scans, visitors }] of byVocabulary) {
    const known = words.get(vocabulary)!;
    scans.forEach((of, id) => add(values, wordOf(known, id), of, visitors[id]!));
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
  return { data, meta: { dimension, total, limit, truncated: counted.length > limit } };
}

function add(counts: Map<string, Count>, key: string, scans: number, visitors: number): void {
  const count = counts.get(key);
  if (count) {
    count.scans += scans;
    count.visitors += visitors;
  } else counts.set(key, { scans, visitors });
}
