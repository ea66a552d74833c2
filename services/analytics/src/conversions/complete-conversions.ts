import type { EventContext } from '@waymark/contract/event';
import type { LinkSnapshot } from '@waymark/contract/events';
import { AppError, isOutage } from '@waymark/kernel/errors';
import { runPeriodically, type SkipItem } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { Lease } from '@waymark/kernel/mongo/lease';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { recordedConversion, rejectedConversion, type Completion, type Conversion } from './conversion.js';
import { findConvertedLink } from './find-converted-link.js';
import { conversionRecordedEvent, type ConversionContext } from './record-conversion.js';

const INTERVAL_MS = 2000;
const LEASE_MS = 30_000;
const BATCH_MAX = 20;
/** A failed conversion is retried after others, so that it cannot block them. */
const RETRY_AFTER_OUTAGE_MS = 5000;
const RETRY_AFTER_ERROR_MS = 60_000;

type PendingConversion = Conversion & { completion: Completion };

/** Completes pending conversions once the owner of the links answers again: each is recorded or rejected once. */
export function startConversionCompletion(runtime: WorkerContext & { metrics: Metrics }, ctx: ConversionContext): void {
  const { metrics } = runtime;
  metrics.gauge('pending_conversions_seconds', 'Age of the oldest conversion whose link is not known yet', async () => {
    const oldestAt = await ctx.conversions.oldestPendingAt();
    return oldestAt ? Math.max(0, ((await ctx.db.now()).getTime() - oldestAt.getTime()) / 1000) : 0;
  });
  const lease = new Lease(ctx.db, 'complete conversions');

  async function completeBatch(skipItem: SkipItem): Promise<boolean> {
    if (!ctx.db.isReady) return false;
    const pending = (await ctx.conversions.dueConversions(await ctx.db.now(), BATCH_MAX)) as PendingConversion[];
    return pending.length > 0 && lease.run(LEASE_MS, () => completeAll(pending, skipItem));
  }

  async function completeAll(pending: PendingConversion[], skipItem: SkipItem): Promise<void> {
    // During an outage only the first request fails, not the whole batch.
    const [first, ...others] = pending;
    await completeOne(first!, skipItem);
    const results = await Promise.allSettled(others.map((conversion) => completeOne(conversion, skipItem)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** @throws when the owner of the links, the broker or the database is unavailable */
  async function completeOne(conversion: PendingConversion, skipItem: SkipItem): Promise<void> {
    try {
      await completeConversion(ctx, conversion);
    } catch (error) {
      const retryAfterMs = isOutage(error) ? RETRY_AFTER_OUTAGE_MS : RETRY_AFTER_ERROR_MS;
      await ctx.conversions.postponeCompletion(conversion, new Date((await ctx.db.now()).getTime() + retryAfterMs));
      const { _id, workspace } = conversion;
      skipItem(error, { workspace, conversion_id: _id }, 'conversion not completed');
    }
  }

  runPeriodically(runtime, { name: 'completing conversions', intervalMs: INTERVAL_MS, runOnce: completeBatch });
}

/** @throws BrokerUnavailable when the owner of the links does not answer */
async function completeConversion(ctx: ConversionContext, conversion: PendingConversion): Promise<void> {
  const { names, context } = conversion.completion;
  const link = await linkOrReason(ctx, conversion.workspace, names);
  await ctx.db.transaction(async (tx) => {
    const next = typeof link === 'string' ? rejectedConversion(conversion, link) : recordedConversion(conversion, link);
    if (!(await ctx.conversions.completeConversion(next, tx.session)) || typeof link === 'string') return;
    await ctx.pending.conversions.addRows([next], tx.session);
    tx.emit(conversionRecordedEvent(JSON.parse(context) as EventContext, link, next));
  });
}

/** @returns the link, or why the conversion is rejected */
async function linkOrReason(
  ctx: ConversionContext,
  workspace: string,
  names: Completion['names'],
): Promise<LinkSnapshot | string> {
  try {
    return await findConvertedLink(ctx, workspace, names);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_found') return 'The link does not exist in this workspace.';
    if (error.code === 'validation_failed') return 'The short_code and the id name different links.';
    throw error;
  }
}
