import type { Device } from '@waymark/shared/contract/analytics';
import { piecesBetween } from '../rollups/pieces.js';
import { readCells, type RollupReader } from '../rollups/read-cells.js';
import { deviceOf, isOfBots, segmentsIn } from '../rollups/segments.js';
import type { Selection } from '../selection/selection.js';
import { startsOfDays } from '../time/local-days.js';

export interface SummaryCounts {
  scans: number;
  visitors: number;
  /** Bots of the selection are told whether or not it counts them. */
  botScans: number;
  devices: Map<Device, number>;
  /** One for each local day. */
  trend: { scans: number; visitors: number }[];
}

/** Marks the pieces of the range as a whole: a visitor who comes on two local days of one UTC day is one of it. */
const WHOLE_RANGE = -1;

export async function countSummary(reader: RollupReader, selection: Selection): Promise<SummaryCounts> {
  const starts = startsOfDays(selection.days);
  const counts: SummaryCounts = {
    scans: 0,
    visitors: 0,
    botScans: 0,
    devices: new Map(),
    trend: starts.slice(1).map(() => ({ scans: 0, visitors: 0 })),
  };
  const range = piecesBetween([starts[0]!, starts.at(-1)!]).map((piece) => ({ ...piece, of: WHOLE_RANGE }));
  const pieces = [...piecesBetween(starts), ...range];
  const segments = segmentsIn({ ...selection, includeBots: true });
  const counted = segmentsIn(selection);
  await readCells(
    reader,
    { selection, dimension: 'device', pieces, segments },
    ({ segment }, { of }, scans, visitors) => {
      const isRange = of === WHOLE_RANGE;
      if (isRange && isOfBots(segment)) counts.botScans += scans;
      if (!counted[segment]) return;
      const to = isRange ? counts : counts.trend[of]!;
      to.scans += scans;
      to.visitors += visitors;
      const device = deviceOf(segment);
      if (isRange && scans > 0) counts.devices.set(device, (counts.devices.get(device) ?? 0) + scans);
    },
  );
  return counts;
}
