import { ERASURE_ORDERS } from '@waymark/contract/erasures';
import type { Event, EventDefinition } from '@waymark/contract/event';
import { SUSPENSION_EVENTS } from '@waymark/contract/events';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import { startConsumer } from '@waymark/kernel/broker/consumer';
import { orderIn, type ErasureRuntime } from '@waymark/kernel/erasure/erasure-worker';
import { followChanges } from '../read-model/follow-changes.js';
import { StateStore, type WorkspaceState } from './state-store.js';

type SuspensionData = { revision: number; links?: 'keep' | 'block' };

const SUSPENSIONS = {
  queue: 'redirect.workspaces',
  events: SUSPENSION_EVENTS as readonly EventDefinition<SuspensionData>[],
  recordOf: stateOf,
} as const;
const DELETIONS = {
  queue: 'redirect.erasures',
  events: ERASURE_ORDERS,
  recordOf: orderIn,
} as const;
/** Bounds how long a replica serves an old state after a lost event. */
const READ_INTERVAL_MS = 10_000;
const SUBJECTS_AT_ONCE = 1000;
/** Bounds the memory. The links of further deleted workspaces end when their records are erased. */
const ERASED_MAX = 100_000;

/**
 * The workspaces whose links are refused, in memory, so that a change applies to cached links at once. While the database
 * is unreachable, the process knows only the workspaces of which it received events.
 */
export class WorkspaceStates {
  private readonly states = new Map<string, WorkspaceState>();
  private readonly erased = new Set<string>();

  refusalFor(slug: string | undefined): 'erased' | 'blocked' | undefined {
    if (slug === undefined) return undefined;
    if (this.erased.has(slug)) return 'erased';
    return this.states.get(slug)?.isBlocked ? 'blocked' : undefined;
  }

  addErased(slug: string): void {
    if (!this.isFull) this.erased.add(slug);
  }

  /** Whether no further deleted workspace is remembered. */
  get isFull(): boolean {
    return this.erased.size >= ERASED_MAX;
  }

  /** Applies a state unless a newer one is known. */
  apply(state: WorkspaceState): void {
    if ((this.states.get(state._id)?.revision ?? -1) < state.revision) this.states.set(state._id, state);
  }
}

/** Keeps the states current, in the database and in this process. */
export function startWorkspaceStates(runtime: ErasureRuntime): WorkspaceStates {
  const { erasures } = runtime;
  const store = new StateStore(runtime.db);
  const states = new WorkspaceStates();

  async function readStates(): Promise<boolean> {
    if (!store.isReady) return false;
    for (const state of await store.findStates()) states.apply(state);
    for (let after: string | undefined = ''; after !== undefined;) {
      const slugs: string[] = await erasures.findSubjects('workspace', after, SUBJECTS_AT_ONCE);
      for (const slug of slugs) states.addErased(slug);
      after = slugs.length < SUBJECTS_AT_ONCE || states.isFull ? undefined : slugs.at(-1)!;
    }
    return false;
  }

  startConsumer(runtime, {
    queue: SUSPENSIONS.queue,
    events: SUSPENSIONS.events,
    handle: (events) => store.saveStates(events.map(stateOf)),
  });
  const reading = runPeriodically(runtime, {
    name: 'workspace states',
    intervalMs: READ_INTERVAL_MS,
    runOnce: readStates,
  });
  const onFollowing = () => reading.notify();
  followChanges(runtime, SUSPENSIONS, { onChange: (state) => states.apply(state), onFollowing });
  followChanges(runtime, DELETIONS, {
    onChange: ({ kind, subject }) => kind === 'workspace' && states.addErased(subject),
    onFollowing,
  });
  return states;
}

/** Every suspension names its workspace. */
function stateOf({ workspace, data }: Event<SuspensionData>): WorkspaceState {
  return { _id: workspace!, revision: data.revision, isBlocked: data.links === 'block' };
}
