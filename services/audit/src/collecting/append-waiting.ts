import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { Database } from '@waymark/kernel/mongo/database';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { WaitingEntry, WaitingStore } from '../entries/waiting-store.js';
import { ENTRIES_AT_ONCE, type Appender } from './appender.js';
import { erasedIn, type FindErased } from './drop-erased.js';

/** How long a blocked log waits for the next attempt. */
const INTERVAL_MS = 10_000;
/** After these the next log has its turn. */
const BATCHES_PER_TURN = 20;

type WaitingContext = WorkerContext & { db: Database; erasures: FindErased };

/**
 * Appends the waiting entries of logs that are no longer blocked, in order. Several processes may do so at a time: a log
 * has each entry once.
 */
export function appendWaiting(runtime: WaitingContext, waiting: WaitingStore, appender: Appender): void {
  const { db, lifecycle, erasures } = runtime;

  runPeriodically(runtime, {
    name: 'waiting entries',
    intervalMs: INTERVAL_MS,
    runOnce: async (skipItem) => {
      let isMore = false;
      let workspace = db.isReady ? await waiting.workspaceAfter('') : null;
      for (; workspace !== null && !lifecycle.signal.aborted; workspace = await waiting.workspaceAfter(workspace)) {
        try {
          if (await appendOfLog(workspace)) isMore = true;
        } catch (error) {
          skipItem(error, { workspace }, 'waiting entries not appended');
        }
      }
      return isMore;
    },
  });

  /** @returns whether more can be appended at once */
  async function appendOfLog(workspace: string): Promise<boolean> {
    for (let batch = 0; batch < BATCHES_PER_TURN; batch += 1) {
      const found = await waiting.firstEntries(workspace, ENTRIES_AT_ONCE);
      if (found.length === 0 || !(await appendBatch(workspace, found))) return false;
    }
    return true;
  }

  /** @returns false while the log is blocked */
  async function appendBatch(workspace: string, found: WaitingEntry[]): Promise<boolean> {
    const changed = found.find((entry) => !waiting.isGenuine(entry));
    if (changed) {
      appender.reportBlocked({ workspaces: [workspace], changed: changed._id });
      return false;
    }
    const dropErased = await erasedIn(erasures, found);
    const blocked = await appender.append(dropErased(found.map(withoutPlace)));
    if (blocked.size > 0) return false;
    await waiting.removeEntries(found);
    return true;
  }
}

const withoutPlace = ({ number: _number, signature: _signature, ...entry }: WaitingEntry) => entry;
