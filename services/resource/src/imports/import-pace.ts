import { setTimeout as sleep } from 'node:timers/promises';
import type { Handler, Handlers } from '@waymark/kernel/http/api';
import { ROWS_PER_CHUNK } from './import-job.js';

/** Another workspace counts as active for this long after its last request. */
const RECENT_MS = 2000;
const ROWS_BESIDE_OTHERS = 5;
/** Well below the lease of a job. */
const REST_MAX_MS = 5000;

interface Caller {
  workspace: string;
  at: number;
}

/**
 * Controls how fast an import runs: at full speed while its workspace is the only active one, otherwise in small steps
 * with rests between them, so that requests of the other workspaces find the database free.
 */
export class ImportPace {
  /** The latest request, and the latest of any other workspace. */
  private last: Caller | null = null;
  private other: Caller | null = null;

  /** @param restRatio milliseconds of rest per millisecond of work; 0: it never rests */
  constructor(
    private readonly restRatio: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  noteRequest(workspace: string): void {
    if (this.last && this.last.workspace !== workspace) this.other = this.last;
    this.last = { workspace, at: this.now() };
  }

  /** Returns the number of rows in the next batch. */
  rowsFor(workspace: string): number {
    return this.isBesideOthers(workspace) ? ROWS_BESIDE_OTHERS : ROWS_PER_CHUNK;
  }

  restMs(workspace: string, workedMs: number): number {
    return this.isBesideOthers(workspace) ? Math.min(workedMs * this.restRatio, REST_MAX_MS) : 0;
  }

  /** Rests after a batch that began at `startedAt`; ends early if the process stops. */
  async rest(workspace: string, startedAt: number, signal: AbortSignal): Promise<void> {
    const restMs = this.restMs(workspace, this.now() - startedAt);
    if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
  }

  /** True while other workspaces use this process, unless imports never rest. */
  isBesideOthers(workspace: string): boolean {
    if (this.restRatio === 0) return false;
    const since = this.now() - RECENT_MS;
    return [this.last, this.other].some((caller) => caller && caller.workspace !== workspace && caller.at >= since);
  }
}

/** Wraps handlers so that the pace learns of each request. */
export function withRequestsNoted(handlers: Handlers<'resource'>, pace: ImportPace): Handlers<'resource'> {
  const noting =
    (handler: Handler): Handler =>
    (request, response) => {
      pace.noteRequest(request.workspace.slug);
      return handler(request, response);
    };
  const entries = Object.entries(handlers as unknown as Record<string, Handler>);
  return Object.fromEntries(entries.map(([name, handler]) => [name, noting(handler)])) as Handlers<'resource'>;
}
