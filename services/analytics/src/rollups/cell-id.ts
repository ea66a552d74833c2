import type { Dimension } from './vocabulary.js';
import { QUARTERS_PER_DAY } from './rows.js';

/** Six hours: the quarter-hours of a day lie in four cells, so that what has passed is left alone. */
export const QUARTERS_PER_CELL = 24;
export const PERIODS_PER_DAY = QUARTERS_PER_DAY / QUARTERS_PER_CELL;

/** Which scans a cell counts: those of the workspace, of one campaign, or of one link. */
export type Scope = 'workspace' | `campaign:${string}` | `link:${string}`;

/** A UTC day (its number from 1970-01-01) as a whole, or a quarter of it by quarter-hours. */
export interface CellSpan {
  day: number;
  period?: number;
}

export const campaignScope = (campaign: string): Scope => `campaign:${escaped(campaign)}`;
export const linkScope = (linkId: string): Scope => `link:${escaped(linkId)}`;

/** All cells of a day lie together, and those of the workspace last. A large cell goes on in one for each dimension. */
export function cellId(workspace: string, scope: Scope, { day, period }: CellSpan, dimension?: Dimension): string {
  return `${dayPrefix(workspace, day)}${scope}|${period ?? 'day'}|${dimension ?? ''}`;
}

export function dayPrefix(workspace: string, day: number): string {
  return `${workspace}|${String(day).padStart(7, '0')}|`;
}

export const dayOf = (id: string): number => Number(id.split('|', 2)[1]);

/** Nothing from outside may end a part of the id. */
function escaped(text: string): string {
  return text.replace(/[%|]/g, (sign) => (sign === '%' ? '%25' : '%7C'));
}
