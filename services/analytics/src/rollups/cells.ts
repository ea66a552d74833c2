import { device, trigger, type Device } from '@waymark/shared/contract/analytics';
import type { Scan } from '../scans/scan.js';
import type { Selection } from '../selection/selection.js';

/** Local midnights fall on quarters of an hour in every time zone: a day in any of them is a sum of whole cells. */
const CELL_MS = 15 * 60 * 1000;

/** One of the few numbers in a cell: the scans of one device by one trigger, of people or of bots. */
export type Counter = `${Device}_${Scan['trigger']}${'' | '_bot'}`;

/** Scans of one link, campaign and quarter-hour: all of them, or the part that one transaction has added. */
export interface Cell {
  _id: string;
  workspace: string;
  /** Start of the quarter-hour. */
  at: Date;
  linkId: string;
  campaign: string | null;
  scans: Partial<Record<Counter, number>>;
}

/** Keys of parts begin with this: above every workspace, so they are a range of their own. */
export const PART = '~';

/** What these scans add, one part for each cell, sorted by key. Each scan is stored once, so its id makes a fresh key. */
export function partsOf(scans: readonly Scan[]): Cell[] {
  const parts = new Map<string, Cell>();
  for (const scan of scans) {
    const { _id, workspace, scannedAt, linkId, campaign } = scan;
    const at = new Date(Math.floor(scannedAt.getTime() / CELL_MS) * CELL_MS);
    const key = cellKey({ workspace, at, linkId, campaign });
    let part = parts.get(key);
    if (!part) parts.set(key, (part = { _id: `${PART}${_id}`, workspace, at, linkId, campaign, scans: {} }));
    increase(part, counterOf(scan), 1);
  }
  return byKey(parts.values());
}

/** The cells that these parts belong to, with what the parts add to each, sorted by key. */
export function cellsOf(parts: readonly Cell[]): Cell[] {
  const cells = new Map<string, Cell>();
  for (const part of parts) {
    const _id = cellKey(part);
    let cell = cells.get(_id);
    if (!cell) cells.set(_id, (cell = { ...part, _id, scans: {} }));
    for (const counter of Object.keys(part.scans) as Counter[]) increase(cell, counter, part.scans[counter]!);
  }
  return byKey(cells.values());
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

function increase(cell: Cell, counter: Counter, by: number): void {
  cell.scans[counter] = (cell.scans[counter] ?? 0) + by;
}

/** The campaign stands last: it is the only part that may hold any character. */
function cellKey({ workspace, at, linkId, campaign }: Omit<Cell, '_id' | 'scans'>): string {
  return `${workspace}|${at.getTime() / CELL_MS}|${linkId}|${campaign === null ? '' : `=${campaign}`}`;
}

function byKey(cells: Iterable<Cell>): Cell[] {
  return [...cells].sort((a, b) => (a._id < b._id ? -1 : 1));
}
