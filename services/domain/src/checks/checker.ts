import { isOutage } from '@waymark/kernel/errors';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { challengeName } from '../domains/challenge.js';
import type { Domain } from '../domains/domain.js';
import type { DuePage } from '../domains/domain-store.js';
import type { Finding, LookUp } from '../dns/look-up.js';
import { CheckTurns } from './check-turns.js';
import { recordCheck, type RecordContext } from './record-check.js';

export interface CheckContext extends RecordContext {
  lookUp: LookUp;
  /** Maximum number of concurrent checks of this process. */
  runningMax: number;
  pollMs: number;
  leaseMs: number;
}

interface CheckerRuntime {
  log: Log;
  metrics: Metrics;
  lifecycle: Lifecycle;
}

/**
 * The share of the concurrent checks that one workspace has, and one user who registered domains: slow name servers must
 * not delay others. A user can create many workspaces, and a workspace can have many users.
 */
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
  metrics.showDamagedRows('domains', async () => ctx.domains.countDamaged(await ctx.db.now()));
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
  private readonly workspaces: CheckTurns;
  private readonly users: CheckTurns;
  /** The checks that were due until then had no turn left in this round; undefined at its start. */
  private passedUntil: Date | undefined;

  constructor(
    private readonly ctx: CheckContext,
    private readonly log: Log,
    private readonly countFinding: (kind: Finding['kind']) => void,
  ) {
    const share = Math.ceil(ctx.runningMax * SHARE);
    this.workspaces = new CheckTurns(share);
    this.users = new CheckTurns(share);
  }

  async finishRunning(): Promise<void> {
    await Promise.all(this.running);
  }

  /** @returns false when no check may run now: none is due, or the next one has to wait for the end of another */
  async claimCheck(onEnd: () => void): Promise<boolean> {
    const { db, runningMax } = this.ctx;
    if (!db.isReady || this.running.size >= runningMax) return false;
    const domain = await this.claimInTurn(await db.now());
    if (!domain) return this.passedUntil !== undefined;
    const { workspace, createdBy } = domain;
    this.workspaces.addCheck(workspace);
    this.users.addCheck(createdBy);
    const run = this.runCheck(domain).finally(() => {
      this.running.delete(run);
      this.workspaces.removeCheck(workspace);
      this.users.removeCheck(createdBy);
      onEnd();
    });
    this.running.add(run);
    return true;
  }

  /**
   * Claims a check of a workspace and a user without one in this round. When the page of due checks has none, the next claim
   * continues with the next page, and this one takes a check of the first page, also of those who had one in this round.
   * Behind the last page, the next round begins.
   */
  private async claimInTurn(now: Date): Promise<Domain | null> {
    const { workspaces, users } = this;
    const { domains } = this.ctx;
    const isFirstPage = !this.passedUntil;
    const page = await domains.findDuePage(now, this.passedUntil);
    const inRound = { workspaces: workspaces.busyOrServedKeys, users: users.busyOrServedKeys };
    const domain = await this.claimFrom(page, now, inRound);
    if (domain) return domain;
    this.passedUntil = page.isLast ? undefined : page.until;
    if (page.isLast) {
      if (isFirstPage && !workspaces.hasServed) return null;
      workspaces.startRound();
      users.startRound();
    }
    const busy = { workspaces: workspaces.busyKeys, users: users.busyKeys };
    return this.claimFrom(isFirstPage ? page : await domains.findDuePage(now), now, busy);
  }

  private claimFrom(page: DuePage, now: Date, except: { workspaces: string[]; users: string[] }) {
    const { domains, leaseMs } = this.ctx;
    return domains.claimCheck(page, { now, leaseEnd: new Date(now.getTime() + leaseMs), except });
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
