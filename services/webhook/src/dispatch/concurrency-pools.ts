/** How an endpoint performs now: answers in time, answers late, or has failed repeatedly. */
export type EndpointHealth = 'healthy' | 'slow' | 'unresponsive';

const HEALTHS: readonly EndpointHealth[] = ['healthy', 'slow', 'unresponsive'];

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

interface Delivery {
  health: EndpointHealth;
  route: Route;
  /** Called if the delivery takes longer than that of a healthy endpoint should. */
  onSlow: () => void;
}

/** The pools of slow and unresponsive endpoints each have a quarter of the permits of the healthy ones. */
const SMALL_POOL_SHARE = 4;
/** One workspace has at most a quarter of each pool, and half of the deliveries to one host. */
const WORKSPACE_SHARE = 4;
const WORKSPACE_HOST_SHARE = 2;
const SLOW_AFTER_MS = 1000;
/** Deliveries that continue outside the pools, per permit: a connection costs memory. */
const OVERFLOW_PER_PERMIT = 10;

interface Limit {
  key: string;
  max: number;
}

/** Deliveries of one workspace to one host that wait for a permit of one pool. */
interface Group {
  route: Route;
  pool: Limit[];
  host: Limit[];
  starts: (() => void)[];
}

interface Pool {
  max: number;
  /** By workspace, then by host; both in the order of their turns. */
  waiting: Map<string, Map<string, Group>>;
}

/**
 * Bounds the concurrent deliveries of this process, with one pool per health of the endpoint (bulkheads). An endpoint
 * that turns out to be slow releases its permit and continues outside the pool: endpoints that never answer leave the
 * permits to the others, and the process soon finds a recovered one among the unresponsive ones. So there may be more
 * deliveries than permits: as many again for each second of the time limit, up to ten times as many. Only an endpoint
 * already known to be slow keeps its permit. Waiting workspaces take turns, however many hosts they send to, and none has more than its share of a pool.
 * Host permits last until the end of a delivery, also outside a pool.
 */
export class ConcurrencyPools {
  private readonly pools: Record<EndpointHealth, Pool>;
  private readonly used = new Map<string, number>();
  private overflow = 0;
  private readonly overflowMax: number;

  constructor(private readonly limits: PoolLimits) {
    const smallMax = Math.max(1, Math.floor(limits.inFlightMax / SMALL_POOL_SHARE));
    const newPool = (max: number): Pool => ({ max, waiting: new Map() });
    this.overflowMax = limits.inFlightMax * OVERFLOW_PER_PERMIT;
    this.pools = { healthy: newPool(limits.inFlightMax), slow: newPool(smallMax), unresponsive: newPool(smallMax) };
  }

  get inFlight(): number {
    return HEALTHS.reduce((sum, health) => sum + this.usedOf(health), this.overflow);
  }

  /** Sends once there is a permit for the delivery. */
  async runDelivery<T>({ health, route, onSlow }: Delivery, send: () => Promise<T>): Promise<T> {
    const { pool, host } = await this.acquirePermit(health, route);
    let isOverflow = false;
    const timer = setTimeout(() => {
      onSlow();
      if (health === 'slow' || this.overflow >= this.overflowMax) return;
      isOverflow = true;
      this.overflow += 1;
      this.release(pool);
    }, SLOW_AFTER_MS);
    try {
      return await send();
    } finally {
      clearTimeout(timer);
      if (isOverflow) this.overflow -= 1;
      this.release(isOverflow ? host : [...pool, ...host]);
    }
  }

  private acquirePermit(health: EndpointHealth, route: Route): Promise<Group> {
    const { waiting } = this.pools[health];
    const group = waiting.get(route.workspace)?.get(route.host) ?? this.newGroup(health, route);
    if (this.hasRoom(group)) {
      this.acquire(group);
      return Promise.resolve(group);
    }
    addLast(waiting, group);
    return new Promise((resolve) => group.starts.push(() => resolve(group)));
  }

  private newGroup(health: EndpointHealth, route: Route): Group {
    const { workspace, host } = route;
    const { max } = this.pools[health];
    const { hostMax } = this.limits;
    return {
      route,
      pool: [
        { key: health, max },
        { key: `${health} ${workspace}`, max: Math.ceil(max / WORKSPACE_SHARE) },
      ],
      host: [
        { key: `host ${host}`, max: hostMax },
        { key: `host ${host} ${workspace}`, max: Math.ceil(hostMax / WORKSPACE_HOST_SHARE) },
      ],
      starts: [],
    };
  }

  private hasRoom({ pool, host }: Group): boolean {
    const isFree = ({ key, max }: Limit) => this.usedOf(key) < max;
    return pool.every(isFree) && host.every(isFree);
  }

  private acquire({ pool, host }: Group): void {
    for (const { key } of [...pool, ...host]) this.used.set(key, this.usedOf(key) + 1);
  }

  private release(limits: readonly Limit[]): void {
    for (const { key } of limits) {
      const used = this.usedOf(key) - 1;
      if (used > 0) this.used.set(key, used);
      else this.used.delete(key);
    }
    for (const health of HEALTHS) this.admitWaiting(health);
  }

  private admitWaiting(health: EndpointHealth): void {
    const { max, waiting } = this.pools[health];
    for (const [workspace, groups] of waiting) {
      if (this.usedOf(health) >= max) return;
      const group = [...groups.values()].find((each) => this.hasRoom(each));
      if (!group) continue;
      this.acquire(group);
      group.starts.shift()!();
      // Its next delivery waits behind those to other hosts, and the workspace behind the others.
      groups.delete(group.route.host);
      if (group.starts.length > 0) groups.set(group.route.host, group);
      waiting.delete(workspace);
      if (groups.size > 0) waiting.set(workspace, groups);
    }
  }

  private usedOf(key: string): number {
    return this.used.get(key) ?? 0;
  }
}

function addLast(waiting: Pool['waiting'], group: Group): void {
  const { workspace, host } = group.route;
  const groups = waiting.get(workspace) ?? new Map<string, Group>();
  groups.set(host, group);
  waiting.set(workspace, groups);
}
