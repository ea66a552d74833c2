import { ERASURE_ORDERS, ERASURE_REPORTS, type ErasureOrderData } from '@waymark/contract/erasures';
import type { BrokerService } from '@waymark/contract/broker-services';
import type { Event } from '@waymark/contract/event';
import { runPeriodically } from '../async/run-periodically.js';
import type { Signal } from '../async/signal.js';
import { startConsumer, type ConsumerContext } from '../broker/consumer.js';
import type { Database } from '../mongo/database.js';
import type { Erasure, ErasureStore, NewErasure } from './erasure-store.js';
import type { ErasureStep, ErasureSteps } from './erasure-steps.js';

const ROWS_AT_ONCE = 1000;
/** Prolonged while a batch runs. */
const LEASE_MS = 60_000;
/** For jobs of processes that have ended: orders notify the worker. */
const POLL_INTERVAL_MS = 5000;
/** After these the next erasure has its turn: a small workspace does not wait for a large one. */
const BATCHES_PER_TURN = 20;

export interface ErasureRuntime extends ConsumerContext {
  db: Database;
  erasures: ErasureStore;
}

interface ErasureWork {
  service: BrokerService;
  steps: ErasureSteps;
  /** Its steps find data by the e-mail address of the user. */
  needsEmail?: true;
  leaseMs?: number;
}

/** Thrown to end a turn: another worker has the lease. */
class LeaseLost extends Error {}

/** Stores the orders of auth as jobs, and runs them; see `startErasureWorker`. */
export function startErasures(runtime: ErasureRuntime, work: ErasureWork): void {
  const worker = startErasureWorker(runtime, work);
  startConsumer(runtime, {
    queue: `${work.service}.erasures` as 'resource.erasures',
    events: ERASURE_ORDERS,
    handle: async (events) => {
      for (const event of events) {
        const { email, ...order } = orderIn(event);
        await runtime.erasures.addErasure({ ...order, ...(work.needsEmail && email && { email }) });
      }
      worker.notify();
    },
  });
}

/** Returns what an event orders to erase. */
export function orderIn({ data }: Event<ErasureOrderData>): NewErasure {
  return 'user_id' in data
    ? { kind: 'user', subject: data.user_id, email: data.email }
    : { kind: 'workspace', subject: data.slug };
}

/**
 * Erases in bounded batches, each erasure in one process at a time, and in turns with others. The next turn, also after a
 * crash, begins the pass again; it does not find erased documents again. Each turn ends with a report to auth, which an
 * outage of the broker delays.
 */
export function startErasureWorker(
  runtime: ErasureRuntime,
  { service, steps, leaseMs = LEASE_MS }: ErasureWork,
): Signal {
  const { db, erasures, log, metrics } = runtime;
  metrics.showDamagedRows('erasures', () => erasures.countDamaged());

  async function runOnce(): Promise<boolean> {
    const erasure = db.isReady ? await erasures.claimErasure(leaseMs) : null;
    if (!erasure) return false;
    try {
      await runTurn(erasure);
    } catch (error) {
      if (error instanceof LeaseLost) return true;
      await erasures.postponeErasure(erasure).catch(() => undefined);
      throw error;
    }
    return true;
  }

  async function runTurn(erasure: Erasure): Promise<void> {
    const isPassDone = await eraseBatches(erasure);
    await report(erasure, isPassDone || erasure.passCount > 0);
    if (!isPassDone) return erasures.releaseErasure(erasure);
    await erasures.finishPass(erasure);
    const { kind, subject, passCount } = erasure;
    log.info({ kind, subject, pass: passCount + 1 }, 'erased');
  }

  /** @returns false when the turn ends before the pass */
  async function eraseBatches(erasure: Erasure): Promise<boolean> {
    let batchCount = 0;
    for (const step of steps[erasure.kind]) {
      while (await eraseBatch(erasure, step)) {
        batchCount += 1;
        if (batchCount === BATCHES_PER_TURN) return false;
      }
    }
    return true;
  }

  /** @returns false once nothing is left */
  async function eraseBatch(erasure: Erasure, { name, eraseBatch: erase }: ErasureStep): Promise<boolean> {
    const prolong = () => void erasures.prolongLease(erasure, leaseMs).catch(() => undefined);
    const prolonging = setInterval(prolong, leaseMs / 3);
    const erased = erase(erasure.subject, ROWS_AT_ONCE, erasure.email);
    const count = await erased.finally(() => clearInterval(prolonging));
    if (!(await erasures.recordRemoved(erasure, { name, count }, leaseMs))) throw new LeaseLost();
    return count > 0;
  }

  async function report({ _id, kind, subject }: Erasure, isComplete: boolean): Promise<void> {
    const current = await erasures.findErasure(_id);
    const removed = current?.removed ?? {};
    const event = ERASURE_REPORTS[service].create(
      { workspace: null },
      { kind, subject, removed, is_complete: isComplete },
    );
    await runtime.publisher.publish(event.type, event.id, JSON.stringify(event));
  }

  return runPeriodically(runtime, { name: 'erasures', intervalMs: POLL_INTERVAL_MS, runOnce });
}
