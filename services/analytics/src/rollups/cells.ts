import { device, trigger, type Device } from '@waymark/shared/contract/analytics';
import type { Scan } from '../scans/scan.js';
import type { Selection } from '../selection/selection.js';

/** Local midnights fall on quarters of an hour in every time zone: a day in any of them is a sum of whole cells. */
const CELL_MS = 15 * 60 * 1000;

/** One of the few numbers in a cell: the scans of one device by one trigger, of people or of bots. */
export type Counter = `${Device}_${Scan['trigger']}${'' | '_bot'}`;

/** The scans of one link, campaign and quarter-hour. */
export interface Cell {
  _id: string;
  workspace: string;
  /** Start of the quarter-hour. */
  at: Date;
  linkId: string;
  campaign: string | null;
  scans: Partial<Record<Counter, number>>;
}

/** What these scans add to which cells, sorted by key. */
export function cellsOf(scans: readonly Scan[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const scan of scans) {
    const key = cellKey(scan);
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = emptyCell(key, scan)));
    const counter = counterOf(scan);
    cell.scans[counter] = (cell.scans[counter] ?? 0) + 1;
  }
  return [...cells.values()].sort((a, b) => (a._id < b._id ? -1 : 1));
}

/** The counters that add up to the scans of a selection, for one device and for people or bots. */
export function countersIn(selection: Selection, of: Device, bots: boolean): Counter[] {
  if (selection.device !== undefined && selection.device !== of) return [];
  return trigger.options
    .filter((each) => selection.trigger === undefined || selection.trigger === each)
    .map((each) => counterOf({ device: of, trigger: each, isBot: bots }));
}

export const DEVICES: readonly Device[] = device.options;

function counterOf({ device, trigger, isBot }: Pick<Scan, 'device' | 'trigger' | 'isBot'>): Counter {
  return `${device}_${trigger}${isBot ? '_bot' : ''}`;
}

/** The campaign stands last: it is the only part that may hold any character. */
function cellKey({ workspace, scannedAt, linkId, campaign }: Scan): string {
  const quarter = Math.floor(scannedAt.getTime() / CELL_MS);
  return `${workspace}|${quarter}|${linkId}|${campaign === null ? '' : `=${campaign}`}`;
}

function emptyCell(_id: string, { workspace, scannedAt, linkId, campaign }: Scan): Cell {
  const at = new Date(Math.floor(scannedAt.getTime() / CELL_MS) * CELL_MS);
  return { _id, workspace, at, linkId, campaign, scans: {} };
}
