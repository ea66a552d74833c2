import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import { BlockList, parseBlockList } from './block-list.js';

const POLL_INTERVAL_MS = 2000;
/** About a million entries. */
const BYTES_MAX = 64 * 1024 * 1024;
const LINES_NAMED_MAX = 20;

/** The list in DESTINATION_BLOCKLIST, reloaded when the file changes; the last one stays while it cannot be read. */
export class BlockListFile {
  list = new BlockList();
  /** Identifies the content. */
  fingerprint = '';
  /** The state of the file that was loaded, and the one that the last look found. */
  private loaded = '';
  private seen = '';
  private isUnreadable = false;

  constructor(
    private readonly path: string,
    private readonly context: WorkerContext,
  ) {}

  /** Loads the list, then follows the file. @throws if it cannot be read */
  async start(): Promise<void> {
    this.seen = await stateOf(this.path);
    await this.load();
    runPeriodically(this.context, {
      name: 'destination block list',
      intervalMs: POLL_INTERVAL_MS,
      runOnce: () => this.followChange(),
    });
  }

  private async followChange(): Promise<boolean> {
    try {
      const before = this.seen;
      this.seen = await stateOf(this.path);
      // A file that is still being written has another state at the next look.
      if (this.seen === before && this.seen !== this.loaded) await this.load();
      this.isUnreadable = false;
    } catch (error) {
      if (!this.isUnreadable) this.context.log.warn({ err: error, path: this.path }, 'block list kept: not readable');
      this.isUnreadable = true;
    }
    return false;
  }

  private async load(): Promise<void> {
    const text = await readFile(this.path, 'utf8');
    const broken: number[] = [];
    this.list = await parseBlockList(text, (number) => broken.push(number));
    this.fingerprint = hash('sha256', text, 'base64url');
    this.loaded = this.seen;
    const { log } = this.context;
    for (const line of broken.slice(0, LINES_NAMED_MAX)) log.warn({ line, path: this.path }, 'block list: broken line');
    log.info({ entries: this.list.size, broken_lines: broken.length, path: this.path }, 'block list loaded');
  }
}

async function stateOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  if (size > BYTES_MAX) throw new Error(`${path} has more than ${BYTES_MAX} bytes`);
  return [mtimeMs, size, ino].join();
}
