import type { Signal } from '@waymark/kernel/async/signal';
import { isOutage } from '@waymark/kernel/errors';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { DomainContext } from '../context.js';
import { challengeName } from '../domains/challenge.js';
import type { Domain } from '../domains/domain.js';
import type { LookUp } from './look-up.js';
import { recordCheck } from './record-check.js';
import type { Schedule } from './schedule.js';

export interface CheckContext extends Pick<DomainContext, 'config' | 'db' | 'domains' | 'ownHosts'> {
  lookUp: LookUp;
  schedule: Schedule;
  log: Log;
}

/** One workspace's share of the concurrent checks: its slow name servers must not delay other workspaces. */
const SHARE_OF_A_WORKSPACE = 1 / 4;

/**
 * Runs the checks that are due. A claimed check is due again when its lease expires, so another process repeats the
 * check of a crashed one; a late result changes nothing.
 */
export class Checker {
  /** The workspace of each running check. */
  private readonly running = new Map<Promise<void>, string>();
  private readonly findings;
  private readonly wakeSignal: Signal;

  constructor(
    private readonly ctx: CheckContext,
    metrics: Metrics,
    lifecycle: Lifecycle,
  ) {
    this.findings = metrics.counter('domain_checks_total', 'Checks by what the name servers said', ['finding']);
    metrics.gauge('domain_check_overdue_seconds', 'Age of the oldest check that is due', () =>
      ctx.db.now().then((now) => ctx.domains.overdueSeconds(now)),
    );
    // Registered before the claiming, because the last registered part stops first.
    lifecycle.onStop('checks under way', async () => void (await Promise.all(this.running.keys())));
    const { CHECK_POLL_MS: everyMs } = ctx.config;
    this.wakeSignal = runPeriodically(
      { log: ctx.log, lifecycle },
      { name: 'checks', intervalMs: everyMs, runOnce: () => this.claimOne() },
    );
  }

  /** @returns false when nothing is due or all slots are busy */
  private async claimOne(): Promise<boolean> {
    const { config, db, domains } = this.ctx;
    if (!db.isReady || this.running.size >= config.CHECKS_AT_ONCE) return false;
    const now = await db.now();
    const domain = await domains.claimCheck(
      now,
      new Date(now.getTime() + config.CHECK_LEASE_MS),
      this.busyWorkspaces(),
    );
    if (!domain) return false;
    const run = this.check(domain).finally(() => {
      this.running.delete(run);
      this.wakeSignal.notify();
    });
    this.running.set(run, domain.workspace);
    return true;
  }

  private busyWorkspaces(): string[] {
    const share = Math.ceil(this.ctx.config.CHECKS_AT_ONCE * SHARE_OF_A_WORKSPACE);
    const running = [...this.running.values()];
    return [...new Set(running)].filter((one) => running.filter((other) => other === one).length >= share);
  }

  private async check(domain: Domain): Promise<void> {
    const { log, lookUp } = this.ctx;
    const startedAt = Date.now();
    const line = { domain: domain._id, workspace: domain.workspace, hostname: domain.hostname };
    try {
      const finding = await lookUp(challengeName(domain.hostname), domain.challenge);
      const after = await recordCheck(this.ctx, domain, finding);
      this.findings.inc({ finding: finding.kind });
      const outcome = {
        finding: finding.kind,
        status: after?.status ?? 'superseded',
        duration_ms: Date.now() - startedAt,
      };
      log.info({ ...line, ...outcome }, 'check');
    } catch (error) {
      // The check is due again when its lease expires.
      log[isOutage(error) ? 'debug' : 'error']({ ...line, err: error }, 'check not recorded');
    }
  }
}
