import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import type { Event } from '@waymark/contract/event';
import { RECLASSIFIED_MAX, scanReclassified, type ReclassifiedLink } from '@waymark/contract/events';
import type { Database } from '@waymark/kernel/mongo/database';
import { botReason, type BotReason } from '@waymark/visitors/bot-reason';
import type { UserAgents } from '@waymark/visitors/user-agent';
import type { PendingRowsStore } from '../ledger/pending-rows.js';
import type { Scan } from '../ledger/scan.js';
import type { ScanPosition, ScanStore } from '../ledger/scan-store.js';
import type { FirstVisitStore } from '../ledger/first-visits.js';
import { FIRST_VERSION } from '../warehouse/loaded-table.js';
import type { DayRange, ProgressStore } from './progress-store.js';

export interface ReclassifyContext {
  db: Database;
  scans: ScanStore;
  firstVisits: FirstVisitStore;
  pending: { scans: PendingRowsStore<Scan> };
  progress: ProgressStore;
  userAgents: UserAgents;
}

export interface ReclassifyReport extends DayRange {
  dry_run: boolean;
  /** Scans checked in the range. */
  scans: number;
  /** Scans stored before user agents were kept: they stay unchanged. */
  without_user_agent: number;
  changed: number;
  /** `human`, or the reason why a scan counts as a bot's. */
  changes: { from: string; to: string; scans: number }[];
}

/** The run waits while more batches than this are pending. */
const PENDING_MAX = 200;
const POLL_MS = 200;

/**
 * Classifies the scans of some days again with the current bot detection. Each batch is one transaction: the scans, the
 * rows that replace those in the warehouse, the differences for the owner of the links, and the progress. A later run
 * resumes an interrupted one.
 */
export async function reclassifyDays(
  ctx: ReclassifyContext,
  range: DayRange,
  isDryRun: boolean,
): Promise<ReclassifyReport> {
  const counts = new ReclassifyCounts();
  let position = isDryRun ? null : await ctx.progress.positionOf(range);
  for (;;) {
    const scans = await ctx.scans.nextScansOfDays(range, position, RECLASSIFIED_MAX);
    if (scans.length === 0) break;
    const last = scans.at(-1)!;
    const end = { workspace: last.workspace, scannedAt: last.scannedAt, id: last._id };
    if (isDryRun) counts.add(scans, changesOf(ctx, scans));
    else counts.add(scans, await reclassifyBatch(ctx, scans, { range, end }));
    position = end;
  }
  if (!isDryRun) await ctx.progress.deletePosition(range);
  return { ...range, dry_run: isDryRun, ...counts.report() };
}

interface Change {
  before: Scan;
  after: Scan;
}

async function reclassifyBatch(
  ctx: ReclassifyContext,
  scans: readonly Scan[],
  { range, end }: { range: DayRange; end: ScanPosition },
): Promise<Change[]> {
  while ((await ctx.pending.scans.countBatches()) >= PENDING_MAX) await sleep(POLL_MS);
  return ctx.db.transaction(async (tx) => {
    const { session } = tx;
    await ctx.progress.savePosition(range, end, session);
    const ids = changesOf(ctx, scans).map(({ before }) => before._id);
    if (ids.length === 0) return [];
    // Read again: a scan that has expired in the meantime must not return to the warehouse.
    const changes = changesOf(ctx, await ctx.scans.scansByIds(ids, session));
    const rows = await markFirstVisits(ctx, changes, session);
    await ctx.scans.updateClassification(rows, session);
    await ctx.pending.scans.addRows(rows, session);
    tx.emit(...reclassifiedEvents(end.workspace, changes));
    return changes;
  });
}

function changesOf({ userAgents }: ReclassifyContext, scans: readonly Scan[]): Change[] {
  return scans.flatMap((before) => {
    if (before.agent === undefined) return [];
    const { agent: text, prefetch = false } = before;
    const reason = botReason({ userAgent: text, isPrefetch: prefetch, isBot: userAgents.parseUserAgent(text).isBot });
    if (reason === before.botReason) return [];
    const version = (before.version ?? FIRST_VERSION) + 1;
    const isUnique = before.isUnique && reason === null;
    // A `scan.logged` that is published later must not include the difference that is reported here.
    const announced = before.announced ?? { isBot: before.isBot, isUnique: before.isUnique };
    return [{ before, after: { ...before, botReason: reason, isBot: reason !== null, isUnique, version, announced } }];
  });
}

/** Marks the first of a visitor, link and day among scans that are no longer a bot's, as when a scan is stored. */
async function markFirstVisits(
  { firstVisits }: ReclassifyContext,
  changes: Change[],
  session: ClientSession,
): Promise<Scan[]> {
  const human = changes.flatMap(({ before, after }) => (before.isBot && !after.isBot ? [after] : []));
  const first = await firstVisits.recordFirstVisits(human, session);
  return changes.map(({ after }) => (first.has(after._id) ? { ...after, isUnique: true } : after));
}

/** Reports the changed scan counts per link. */
function reclassifiedEvents(workspace: string, changes: readonly Change[]): Event[] {
  const links = new Map<string, ReclassifiedLink>();
  for (const { before, after } of changes) {
    if (before.isBot === after.isBot) continue;
    const { linkId: id, scannedAt } = after;
    const link = links.get(id) ?? { id, scans_difference: 0, last_scanned_at: null };
    const times = [link.last_scanned_at, after.isBot ? null : scannedAt.toISOString()];
    links.set(id, {
      id,
      scans_difference: link.scans_difference + (after.isBot ? -1 : 1),
      last_scanned_at:
        times
          .filter((time) => time !== null)
          .sort()
          .at(-1) ?? null,
    });
  }
  return links.size === 0 ? [] : [scanReclassified.create({ workspace }, { links: [...links.values()] })];
}

class ReclassifyCounts {
  private scans = 0;
  private unknown = 0;
  private changed = 0;
  private readonly byChange = new Map<string, { from: string; to: string; scans: number }>();

  add(scans: readonly Scan[], changes: readonly Change[]): void {
    this.scans += scans.length;
    this.unknown += scans.filter(({ agent }) => agent === undefined).length;
    this.changed += changes.length;
    for (const { before, after } of changes) {
      const [from, to] = [className(before.botReason), className(after.botReason)];
      const row = this.byChange.get(`${from} ${to}`) ?? { from, to, scans: 0 };
      this.byChange.set(`${from} ${to}`, { ...row, scans: row.scans + 1 });
    }
  }

  report() {
    const changes = [...this.byChange.values()].sort((a, b) => b.scans - a.scans);
    return { scans: this.scans, without_user_agent: this.unknown, changed: this.changed, changes };
  }
}

const className = (reason: BotReason | null): string => reason ?? 'human';
