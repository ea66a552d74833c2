/** How an endpoint performs now: answers in time, answers late, or has failed repeatedly. */
export type Pace = 'prompt' | 'slow' | 'dead';

/** The workspace of a delivery and the host that receives it. */
export interface Route {
  workspace: string;
  host: string;
}

export interface PoolLimits {
  inFlightMax: number;
  /** Deliveries to one host, over all endpoints and workspaces. */
  hostMax: number;
}

const SHARE_OF_OTHERS = 4;
/** One workspace has at most a quarter of each pool, and half of the deliveries to one host. */
const SHARE_OF_A_WORKSPACE = 4;
const SHARE_OF_A_HOST = 2;
const PATIENCE_MS = 1000;
/** Deliveries outside the pools, per place: a connection costs memory. */
const BESIDE_PER_PLACE = 10;

interface Limit {
  key: string;
  max: number;
}

/** Deliveries of one workspace to one host that wait for a place in one pool. */
interface Group {
  place: Limit[];
  host: Limit[];
  starts: (() => void)[];
}

interface Pool {
  max: number;
  /** In the order of their turns. */
  waiting: Map<string, Group>;
}

/**
 * Bounds the concurrent deliveries of this process, with one pool per pace. An endpoint that turns out to be slow
 * releases its place and continues outside the pool: endpoints that never answer leave the places of the others free,
 * and the process soon finds a recovered one among the dead. So there may be more deliveries than places, one set for
 * each second of the time limit, ten at most. Only an endpoint already known to be slow keeps its place. Waiting
 * workspaces take turns, and none has more than its share of a pool. Host permits last until the end of a delivery,
 * also outside a pool.
 */
export class ConcurrencyPools {
  private readonly pools: Record<Pace, Pool>;
  private readonly used = new Map<string, number>();
  private beside = 0;
  private readonly besideMax: number;

  constructor(private readonly limits: PoolLimits) {
    const others = Math.max(1, Math.floor(limits.inFlightMax / SHARE_OF_OTHERS));
    const poolOf = (max: number): Pool => ({ max, waiting: new Map() });
    this.besideMax = limits.inFlightMax * BESIDE_PER_PLACE;
    this.pools = { prompt: poolOf(limits.inFlightMax), slow: poolOf(others), dead: poolOf(others) };
  }

  get inFlight(): number {
    return PACES.reduce((sum, pace) => sum + this.usedOf(pace), this.beside);
  }

  /** Runs the work once there is a place for it; calls `onSlow` if it takes longer than a prompt endpoint should. */
  async run<T>(pace: Pace, route: Route, work: () => Promise<T>, onSlow: () => void): Promise<T> {
    const { place, host } = await this.enter(pace, route);
    let isBeside = false;
    const patience = setTimeout(() => {
      onSlow();
      if (pace === 'slow' || this.beside >= this.besideMax) return;
      isBeside = true;
      this.beside += 1;
      this.release(place);
    }, PATIENCE_MS);
    try {
      return await work();
    } finally {
      clearTimeout(patience);
      if (isBeside) this.beside -= 1;
      this.release(isBeside ? host : [...place, ...host]);
    }
  }

  private enter(pace: Pace, { workspace, host }: Route): Promise<Group> {
    const { waiting } = this.pools[pace];
    const key = `${workspace} ${host}`;
    const group = waiting.get(key) ?? this.groupOf(pace, workspace, host);
    if (this.hasRoom(group)) {
      this.acquire(group);
      return Promise.resolve(group);
    }
    waiting.set(key, group);
    return new Promise((resolve) => group.starts.push(() => resolve(group)));
  }

  private groupOf(pace: Pace, workspace: string, host: string): Group {
    const { max } = this.pools[pace];
    const { hostMax } = this.limits;
    return {
      place: [
        { key: pace, max },
        { key: `${pace} ${workspace}`, max: Math.ceil(max / SHARE_OF_A_WORKSPACE) },
      ],
      host: [
        { key: `host ${host}`, max: hostMax },
        { key: `host ${host} ${workspace}`, max: Math.ceil(hostMax / SHARE_OF_A_HOST) },
      ],
      starts: [],
    };
  }

  private hasRoom({ place, host }: Group): boolean {
    const isFree = ({ key, max }: Limit) => this.usedOf(key) < max;
    return place.every(isFree) && host.every(isFree);
  }

  private acquire({ place, host }: Group): void {
    for (const { key } of [...place, ...host]) this.used.set(key, this.usedOf(key) + 1);
  }

  private release(limits: readonly Limit[]): void {
    for (const { key } of limits) {
      const used = this.usedOf(key) - 1;
      if (used > 0) this.used.set(key, used);
      else this.used.delete(key);
    }
    for (const pace of PACES) this.admit(pace);
  }

  private admit(pace: Pace): void {
    const { max, waiting } = this.pools[pace];
    for (const [key, group] of waiting) {
      if (this.usedOf(pace) >= max) return;
      if (!this.hasRoom(group)) continue;
      this.acquire(group);
      group.starts.shift()!();
      // Its next delivery waits behind the other groups.
      waiting.delete(key);
      if (group.starts.length > 0) waiting.set(key, group);
    }
  }

  private usedOf(key: string): number {
    return this.used.get(key) ?? 0;
  }
}

const PACES: readonly Pace[] = ['prompt', 'slow', 'dead'];
