import { AppError, unavailable } from '@waymark/shared/kernel/errors';

interface Limits {
  runningMax: number;
  waitingMax: number;
  /** Of one workspace among them. */
  waitingPerWorkspaceMax: number;
  waitMaxMs: number;
}

interface Waiting {
  workspace: string;
  start: () => void;
}

/**
 * A bounded semaphore that is fair to workspaces: up to `runningMax` pieces of work run, at most one of each workspace, and
 * further ones wait in line.
 */
export class WorkspaceSemaphore {
  private readonly running = new Set<string>();
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly limits: Limits) {}

  /**
   * @throws AppError `rate_limit_exceeded` when too many of the workspace wait already, `service_unavailable` when the line
   *   is full, or after `waitMaxMs` in it
   */
  async run<T>(workspace: string, work: () => Promise<T>): Promise<T> {
    if (this.hasRoomFor(workspace)) this.running.add(workspace);
    else await this.wait(workspace);
    try {
      return await work();
    } finally {
      this.running.delete(workspace);
      this.startNext();
    }
  }

  private hasRoomFor(workspace: string): boolean {
    return this.running.size < this.limits.runningMax && !this.running.has(workspace);
  }

  private wait(workspace: string): Promise<void> {
    const own = [...this.waiting].filter((each) => each.workspace === workspace);
    if (own.length >= this.limits.waitingPerWorkspaceMax) throw tooManyAtOnce();
    if (this.waiting.size >= this.limits.waitingMax) throw unavailable(new Error('too many requests wait in line'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(entry);
        reject(unavailable(new Error('waited too long in line')));
      }, this.limits.waitMaxMs);
      const start = () => {
        clearTimeout(timer);
        this.waiting.delete(entry);
        this.running.add(workspace);
        resolve();
      };
      const entry = { workspace, start };
      this.waiting.add(entry);
    });
  }

  private startNext(): void {
    const next = [...this.waiting].find(({ workspace }) => this.hasRoomFor(workspace));
    next?.start();
  }
}

const RETRY_AFTER_SECONDS = '5';

const tooManyAtOnce = (): AppError =>
  new AppError(
    'rate_limit_exceeded',
    'Too many of these requests of this workspace at the same time. Try again later.',
    {
      headers: { 'Retry-After': RETRY_AFTER_SECONDS },
    },
  );
