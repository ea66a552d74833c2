import { isOutage } from '@waymark/kernel/errors';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { challengeName } from '../domains/challenge.js';
import type { Domain } from '../domains/domain.js';
import type { Finding, LookUp } from '../dns/look-up.js';
import { recordCheck, type RecordContext } from './record-check.js';

interface CheckerLimits {
  /** Maximum number of concurrent checks of this process. */
  runningMax: number;
  pollMs: number;
  /** When another process repeats the check of a crashed one; well above the time limit of a look-up. */
  leaseMs: number;
}

export const CHECKER_LIMITS: CheckerLimits = { runningMax: 20, pollMs: 1000, leaseMs: 30_000 };

export interface CheckContext extends RecordContext, CheckerLimits {
  lookUp: LookUp;
}

interface CheckerRuntime {
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

/** The share of the concurrent checks that one workspace has: slow name servers must not delay others. */
const SHARE = 1 / 4;

/**
 * Runs the checks that are due. A claimed check is due again when its lease expires, so another process repeats the
 * check of a crashed one; a late result changes nothing.
 */
export function startChecker(ctx: CheckContext, { log, metrics, lifecycle }: CheckerRuntime): void {
  const findings = metrics.counter('domain_checks_total', 'Checks by what the name servers said', ['finding']);
  metrics.gauge('domain_check_overdue_seconds', 'Age of the oldest check that is due', () =>
    ctx.db.now().then((now) => ctx.domains.overdueSeconds(now)),
  );
  const checker = new Checker(ctx, log, (kind) => findings.inc({ finding: kind }));
  // Registered before the claiming, because the last registered hook runs first.
  lifecycle.onStop('checks under way', () => checker.finishRunning());
  const signal = runPeriodically(
    { log, lifecycle },
    { name: 'checks', intervalMs: ctx.pollMs, runOnce: () => checker.claimCheck(() => signal.notify()) },
  );
}

class Checker {
  private readonly running = new Set<Promise<void>>();
  /** By workspace. */
  private readonly runningCounts = new Map<string, number>();

  constructor(
    private readonly ctx: CheckContext,
    private readonly log: Log,
    private readonly countFinding: (kind: Finding['kind']) => void,
  ) {}

  async finishRunning(): Promise<void> {
    await Promise.all(this.running);
  }

  /** @returns false when no check may run now: none is due, or the next one has to wait for the end of another */
  async claimCheck(onEnd: () => void): Promise<boolean> {
    const { db, domains, leaseMs, runningMax } = this.ctx;
    if (!db.isReady || this.running.size >= runningMax) return false;
    const share = Math.ceil(runningMax * SHARE);
    const busy = [...this.runningCounts].filter(([, count]) => count >= share).map(([workspace]) => workspace);
    const now = await db.now();
    const domain = await domains.claimCheck({ now, leaseEnd: new Date(now.getTime() + leaseMs), except: busy });
    if (!domain) return false;
    this.addRunning(domain.workspace, 1);
    const run = this.runCheck(domain).finally(() => {
      this.running.delete(run);
      this.addRunning(domain.workspace, -1);
      onEnd();
    });
    this.running.add(run);
    return true;
  }

  private addRunning(workspace: string, change: 1 | -1): void {
    const count = (this.runningCounts.get(workspace) ?? 0) + change;
    if (count > 0) this.runningCounts.set(workspace, count);
    else this.runningCounts.delete(workspace);
  }

  private async runCheck(domain: Domain): Promise<void> {
    const { log } = this;
    const startedAt = Date.now();
    const line = { domain: domain._id, workspace: domain.workspace, hostname: domain.hostname };
    try {
      const finding = await this.ctx.lookUp(challengeName(domain.hostname), domain.challenge);
      const after = await recordCheck(this.ctx, domain, finding);
      this.countFinding(finding.kind);
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
