import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import { ChainsBlocked } from '../chain/chain.js';
import type { Entry } from '../chain/entry.js';
import { appendEntries, type AppendContext } from './append-entries.js';

/**
 * Entries per transaction: an event of a user has one for each of their workspaces, up to hundreds, and the end of each
 * log is verified and signed.
 */
export const ENTRIES_AT_ONCE = 50;

/**
 * Appends entries to the logs that are not blocked. Logs the new heads: after a chain is truncated or rewritten, its head
 * no longer matches the logged one.
 */
export class Appender {
  private readonly attempts;

  constructor(
    private readonly stores: AppendContext,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.attempts = metrics.counter('audit_appends_blocked_total', 'Attempts to append to a blocked log');
  }

  /** @returns the workspaces of blocked logs: their entries are not stored */
  async append(entries: Entry[]): Promise<ReadonlySet<string>> {
    const blocked = new Set<string>();
    for (;;) {
      try {
        const heads = await appendEntries(
          this.stores,
          entries.filter(({ workspace }) => !blocked.has(workspace)),
        );
        if (heads.size > 0) this.log.info({ heads: Object.fromEntries(heads) }, 'appended');
        return blocked;
      } catch (error) {
        if (!(error instanceof ChainsBlocked)) throw error;
        this.reportBlocked({ workspaces: error.workspaces });
        for (const workspace of error.workspaces) blocked.add(workspace);
      }
    }
  }

  reportBlocked(fields: object): void {
    this.attempts.inc();
    this.log.error(fields, 'audit log blocked');
  }
}
