import type { Dimension } from '@waymark/shared/contract/analytics';
import type { Selection } from '../selection/selection.js';
import { campaignScope, cellId, linkScope, type CellSpan, type Scope } from './cell-id.js';
import type { CellStore } from './cell-store.js';
import { grouped } from './grouped.js';
import { isWholeDay, periodsOf, scansIn, visitorsIn, type Piece } from './pieces.js';
import { eachRow, type Grain, type Row } from './rows.js';
import { vocabularyId, type VocabularyStore } from './vocabulary-store.js';

export interface RollupReader {
  cells: CellStore;
  vocabularies: VocabularyStore;
}

/** Is given what one row counts in one piece. The row is filled anew for the next call. */
export type Visit<P extends Piece> = (row: Row, piece: P, scans: number, visitors: number) => void;

interface Wanted<P extends Piece> {
  day: number;
  grain: Grain;
  pieces: P[];
}

export interface Question<P extends Piece> {
  selection: Selection;
  dimension: Dimension;
  pieces: readonly P[];
  segments: readonly boolean[];
  /** Only the values of rows are looked at. */
  byValueAlone?: boolean;
}

/**
 * Visits the rows of one dimension that count towards a selection in these pieces of time and these segments. Whole
 * days are read as such; where a piece ends within one, by quarter-hours.
 */
export async function readCells<P extends Piece>(
  reader: RollupReader,
  { selection, dimension, pieces, segments, byValueAlone = false }: Question<P>,
  visit: Visit<P>,
): Promise<void> {
  const doTotals = byValueAlone && isOfAllPeople(selection);
  const wanted = wantedCells(selection, dimension, pieces);
  const [cells, campaignIds] = await Promise.all([
    reader.cells.find([...wanted.keys()], dimension, { doTotals }),
    campaignIdsOf(reader.vocabularies, selection, pieces),
  ]);
  for (const { _id, rows, totals } of cells) {
    const { day, grain, pieces: ofDay } = wanted.get(_id)!;
    if (totals) eachRow(totals, grain, (row) => ofDay.forEach((piece) => visit(row, piece, row.scans, row.firsts)));
    if (!rows) continue;
    const campaignId = campaignIds?.get(vocabularyId(selection.workspace, day));
    eachRow(rows, grain, (row) => {
      if (!segments[row.segment] || (campaignIds && row.campaign !== campaignId)) return;
      for (const piece of ofDay) {
        if (grain === 'day') visit(row, piece, row.scans, row.firsts);
        else visit(row, piece, scansIn(piece, row), visitorsIn(piece, row));
      }
    });
  }
}

function isOfAllPeople({ device, trigger, includeBots, linkId, campaign }: Selection): boolean {
  const isOneCampaignOfLink = linkId !== undefined && campaign !== undefined;
  return device === undefined && trigger === undefined && !includeBots && !isOneCampaignOfLink;
}

function wantedCells<P extends Piece>(
  selection: Selection,
  dimension: Dimension,
  pieces: readonly P[],
): Map<string, Wanted<P>> {
  const wanted = new Map<string, Wanted<P>>();
  const scope = scopeOf(selection);
  for (const [day, ofDay] of grouped(pieces, (piece) => piece.day)) {
    const grain = ofDay.every(isWholeDay) ? 'day' : 'quarter';
    const spans: CellSpan[] = grain === 'day' ? [{ day }] : periodsOf(ofDay).map((period) => ({ day, period }));
    for (const span of spans) {
      for (const part of [undefined, dimension]) {
        wanted.set(cellId(selection.workspace, scope, span, part), { day, grain, pieces: ofDay });
      }
    }
  }
  return wanted;
}

function scopeOf({ linkId, campaign }: Selection): Scope {
  if (linkId !== undefined) return linkScope(linkId);
  return campaign === undefined ? 'workspace' : campaignScope(campaign);
}

/** A link's cells hold all its campaigns: where one of them is asked for, its id in each vocabulary. */
async function campaignIdsOf(
  vocabularies: VocabularyStore,
  { workspace, linkId, campaign }: Selection,
  pieces: readonly Piece[],
): Promise<Map<string, number> | null> {
  if (linkId === undefined || campaign === undefined) return null;
  const words = await vocabularies.words(vocabularyIds(workspace, pieces), 'campaign');
  const known = [...words].filter(([, campaigns]) => campaigns.includes(campaign));
  return new Map(known.map(([id, campaigns]) => [id, campaigns.indexOf(campaign) + 1]));
}

function vocabularyIds(workspace: string, pieces: readonly Piece[]): string[] {
  return [...new Set(pieces.map(({ day }) => vocabularyId(workspace, day)))];
}
