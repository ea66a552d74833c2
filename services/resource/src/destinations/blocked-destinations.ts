import { hash } from 'node:crypto';
import { parentDomainsOf } from '@waymark/contract/hostname';
import { runPeriodically } from '@waymark/kernel/async/run-periodically';
import type { WorkerContext } from '@waymark/kernel/process/lifecycle';
import type { BlockListFile } from './block-list-file.js';
import type { HostBlock, HostBlockStore } from './host-block-store.js';

/** Bounds how long a process does not know of a host that the operator has blocked. */
const READ_INTERVAL_MS = 2000;
const LISTED = 'The destination is on the block list of this installation.';

/** The fingerprint while nothing is blocked. */
export const NOTHING_BLOCKED = '';

/** The destinations that no link may have, in memory: hosts that the operator blocks, and the list in a file. */
export class BlockedDestinations {
  /** Those in force, by host. */
  private hosts = new Map<string, HostBlock>();

  constructor(private readonly file: Pick<BlockListFile, 'list' | 'fingerprint'> | null) {}

  setHostBlocks(blocks: readonly HostBlock[]): void {
    this.hosts = new Map(blocks.filter(({ isBlocked }) => isBlocked).map((block) => [block._id, block]));
  }

  /** Identifies what is blocked: another value means that stored links must be compared again. */
  get fingerprint(): string {
    if (this.hosts.size === 0 && !this.file?.list.size) return NOTHING_BLOCKED;
    const hosts = [...this.hosts.values()].map(({ _id, revision }) => `${_id} ${revision}`).sort();
    return hash('sha256', [this.file?.fingerprint, ...hosts].join('\n'), 'base64url');
  }

  get size(): number {
    return this.hosts.size + (this.file?.list.size ?? 0);
  }

  /** Returns the reason for which the URL is blocked, for the members of the workspace; `null` if it is not. */
  reasonFor(destinationUrl: string): string | null {
    if (this.size === 0) return null;
    const url = URL.parse(destinationUrl);
    if (!url) return null;
    const [block] = this.blocksOf(url);
    return block?.reason ?? (this.file?.list.includes(url) ? LISTED : null);
  }

  /** Returns the blocks of the host that the URL leads to, and of the names above it. */
  hostBlocksFor(destinationUrl: string): HostBlock[] {
    const url = this.hosts.size > 0 ? URL.parse(destinationUrl) : null;
    return url ? this.blocksOf(url) : [];
  }

  private blocksOf({ hostname }: URL): HostBlock[] {
    return this.hosts.size === 0 ? [] : parentDomainsOf(hostname).flatMap((host) => this.hosts.get(host) ?? []);
  }
}

/** Keeps the hosts current; the operator's command writes them. */
export function followHostBlocks(runtime: WorkerContext, store: HostBlockStore, blocked: BlockedDestinations): void {
  runPeriodically(runtime, {
    name: 'destination blocks',
    intervalMs: READ_INTERVAL_MS,
    runOnce: async () => {
      if (store.isReady) blocked.setHostBlocks(await store.findBlocks());
      return false;
    },
  });
}
