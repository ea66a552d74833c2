import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLACE_EVERY_MS = 1000;
/** The kernel's default for a process that is in no group. */
const SHARES_OF_ONE_CORE = 1024;

/** Processes that share one group's part of the CPU while the machine is busy. */
export interface CpuGroup {
  name: string;
  cpuMillis: number;
  pids: () => number[];
}

/**
 * Divides the CPU between groups of processes in proportion to what each requests, as Kubernetes does on a node.
 * Without it every process is equal: the webhook process takes as much from the others as it can use.
 */
export class CpuShares {
  private readonly placed = new Set<number>();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly controller: Controller,
    private readonly groups: readonly CpuGroup[],
  ) {
    for (const group of groups) {
      mkdirSync(this.folderOf(group), { recursive: true });
      controller.write(this.folderOf(group), group.cpuMillis);
    }
    this.place();
    this.timer = setInterval(() => this.place(), PLACE_EVERY_MS).unref();
  }

  /** @returns `null` where the machine has no CPU controller that this process may use */
  static divide(groups: readonly CpuGroup[]): CpuShares | null {
    for (const controller of CONTROLLERS) {
      try {
        if (controller.open()) return new CpuShares(controller, groups);
      } catch {
        // A container may show the files of the controller without letting a process write to them.
      }
    }
    return null;
  }

  /** Removes the groups; call it after the processes have ended. */
  stop(): void {
    clearInterval(this.timer);
    for (const group of this.groups) {
      try {
        rmdirSync(this.folderOf(group));
      } catch {
        // A process that is still ending is in it: an empty group does no harm.
      }
    }
  }

  /** Moves the processes started since the last call; their child processes inherit the group. */
  private place(): void {
    for (const group of this.groups) {
      for (const pid of group.pids().filter((each) => each > 0 && !this.placed.has(each))) {
        this.placed.add(pid);
        try {
          writeFileSync(join(this.folderOf(group), 'cgroup.procs'), String(pid));
        } catch {
          // It has ended in the meantime.
        }
      }
    }
  }

  private folderOf({ name }: CpuGroup): string {
    return join(this.controller.root, `waymark-${process.pid}-${name}`);
  }
}

interface Controller {
  root: string;
  /** @returns false where the machine does not have it. @throws Error where it may not be used */
  open: () => boolean;
  write: (folder: string, cpuMillis: number) => void;
}

const sharesOf = (cpuMillis: number) => Math.max(2, Math.round((cpuMillis * SHARES_OF_ONE_CORE) / 1000));

/** The two versions of Linux control groups; see cgroups(7). */
const CONTROLLERS: readonly Controller[] = [
  {
    root: '/sys/fs/cgroup',
    open: () => {
      const controllers = '/sys/fs/cgroup/cgroup.controllers';
      if (!existsSync(controllers) || !readFileSync(controllers, 'utf8').split(/\s/).includes('cpu')) return false;
      writeFileSync('/sys/fs/cgroup/cgroup.subtree_control', '+cpu');
      return true;
    },
    // The conversion that container runtimes use.
    write: (folder, cpuMillis) =>
      writeFileSync(
        join(folder, 'cpu.weight'),
        String(Math.floor(1 + ((sharesOf(cpuMillis) - 2) * 9999) / (262_144 - 2))),
      ),
  },
  {
    root: '/sys/fs/cgroup/cpu',
    open: () => existsSync('/sys/fs/cgroup/cpu/cpu.shares'),
    write: (folder, cpuMillis) => writeFileSync(join(folder, 'cpu.shares'), String(sharesOf(cpuMillis))),
  },
];
