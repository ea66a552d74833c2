import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { availabilityOf } from './availability.js';
import type { SaveContext } from './context.js';
import { endFieldsOf } from './end.js';
import { completed, fullSnapshotOf, type Link, type TaggedLink } from './link.js';
import { allWithTags } from './references.js';
import { runChange, type TurnContext } from './run-change.js';

/** An end is announced within a minute. */
const INTERVAL_MS = 5000;
const ENDS_PER_ROUND = 500;
/** In one transaction: of one workspace, whose other changes wait meanwhile. */
const ENDS_AT_ONCE = 50;

type EndContext = SaveContext & TurnContext;

/** Emits the event of each link whose time or scans have run out, once for each end. Every process does so. */
export function startAnnouncingEnds(ctx: EndContext, runtime: WorkerContext): void {
  runPeriodically(runtime, {
    name: 'ends of links',
    intervalMs: INTERVAL_MS,
    runOnce: (skipItem) => (ctx.db.isReady ? announceDue(ctx, skipItem) : Promise.resolve(false)),
  });
}

async function announceDue(ctx: EndContext, skipItem: SkipItem): Promise<boolean> {
  const due = await ctx.links.findDueEnds(await ctx.db.now(), ENDS_PER_ROUND);
  const byWorkspace = Map.groupBy(due, ({ workspace }) => workspace);
  let announcedCount = 0;
  for (const [workspace, links] of byWorkspace) {
    for (let start = 0; start < links.length; start += ENDS_AT_ONCE) {
      const ids = links.slice(start, start + ENDS_AT_ONCE).map(({ _id }) => _id);
      try {
        await runChange(ctx, { workspace, signal: undefined }, (tx) => announceEnds(ctx, tx, { workspace, ids }));
        announcedCount += ids.length;
      } catch (error) {
        skipItem(error, { workspace, links: ids }, 'ends of links not announced');
      }
    }
  }
  return announcedCount === ENDS_PER_ROUND;
}

async function announceEnds(
  ctx: EndContext,
  tx: Transaction,
  { workspace, ids }: { workspace: string; ids: string[] },
): Promise<void> {
  const now = new Date();
  const changes = (await ctx.links.findLinks(workspace, ids, tx.session)).flatMap((stored) => {
    const before = completed(stored);
    if (before.endDueAt === null) return [];
    const ended = endFieldsOf(before, now);
    const isEnd = ended.endDueAt !== null && ended.endDueAt <= now;
    const fields = isEnd ? { ...ended, isEndAnnounced: true, endDueAt: null } : ended;
    return [{ before: stored, after: { ...before, ...fields, revision: before.revision + 1 }, isEnd }];
  });
  if (changes.length === 0) return;
  // Another process is faster, or a change of the link: the next round sees it.
  if ((await ctx.links.updateLinks(changes, tx.session)) !== 'stored') throw new EndsChanged();
  const announced = changes.flatMap(({ after, isEnd }) => (isEnd ? [after] : []));
  const shown = await allWithTags(ctx, announced, tx.session);
  tx.emit(...shown.map((tagged) => endEvent(ctx, tagged, now)));
}

/** Thrown inside the transaction to roll it back. */
class EndsChanged extends Error {}

function endEvent(ctx: EndContext, tagged: TaggedLink<Link>, now: Date) {
  const { link } = tagged;
  const { _id: id, workspace, title, shortCode } = link;
  const data = { link: fullSnapshotOf(tagged, ctx.config.SHORT_BASE_URL) };
  const changes = { availability: { from: 'available', to: availabilityOf(completed(link), now) } };
  const target = { type: ctx.contentType.target, id, label: title ?? shortCode };
  return ctx.contentType.events.expired.create({ workspace }, data, { target, changes });
}
