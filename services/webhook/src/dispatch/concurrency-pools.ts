/** How an endpoint performs now: answers in time, answers late, or has failed repeatedly. */
export type EndpointHealth = 'healthy' | 'slow' | 'unresponsive';

const HEALTHS: readonly EndpointHealth[] = ['healthy', 'slow', 'unresponsive'];

/** The tenants of a delivery (see `tenantsOf`) and the host that receives it. */
export interface Route {
  tenants: readonly string[];
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
export const SMALL_POOL_SHARE = 4;
/** One tenant has at most a quarter of each pool and of the overflow, and half of the deliveries to one host. */
const TENANT_SHARE = 4;
const TENANT_HOST_SHARE = 2;
const SLOW_AFTER_MS = 1000;
/**
 * Deliveries that continue outside the pools, for each permit of the healthy pool: a TLS connection takes 0.14 MB, and
 * 0.22 MB in a tunnel over TLS.
 */
export const OVERFLOW_FACTOR = 3;
const OVERFLOW = 'overflow';

interface Limit {
  key: string;
  max: number;
}

/** Deliveries of the same tenants to one host that wait for a permit of one pool. */
interface Group {
  key: string;
  /** The tenant that takes turns with others: the last one. */
  tenant: string;
  pool: Limit[];
  overflow: Limit[];
  host: Limit[];
  starts: (() => void)[];
}

interface Pool {
  max: number;
  /** By tenant, then by group; both in the order of their turns. */
  waiting: Map<string, Map<string, Group>>;
}

/**
 * Bounds the concurrent deliveries of this process, with one pool per health of the endpoint (bulkheads). An endpoint
 * that turns out to be slow releases its permit and continues outside the pool: endpoints that never answer leave the
 * permits to the others, and the process soon finds a recovered one among the unresponsive ones. So there may be more
 * deliveries than permits: as many again for each second of the time limit, up to three times as many as the healthy pool
 * has. Only an endpoint already known to be slow keeps its permit, and one whose tenant has its share of the deliveries
 * outside. Waiting tenants take turns, however many hosts they send to, and none has more than its share of a pool. Host
 * permits last until the end of a delivery, also outside a pool.
 */
export class ConcurrencyPools {
  private readonly pools: Record<EndpointHealth, Pool>;
  private readonly used = new Map<string, number>();
  private readonly overflowMax: number;

  constructor(private readonly limits: PoolLimits) {
    const smallMax = Math.max(1, Math.floor(limits.inFlightMax / SMALL_POOL_SHARE));
    const newPool = (max: number): Pool => ({ max, waiting: new Map() });
    this.overflowMax = limits.inFlightMax * OVERFLOW_FACTOR;
    this.pools = { healthy: newPool(limits.inFlightMax), slow: newPool(smallMax), unresponsive: newPool(smallMax) };
  }

  get inFlight(): number {
    return HEALTHS.reduce((sum, health) => sum + this.usedOf(health), this.usedOf(OVERFLOW));
  }

  /** Sends once there is a permit for the delivery. */
  async runDelivery<T>({ health, route, onSlow }: Delivery, send: () => Promise<T>): Promise<T> {
    const { pool, overflow, host } = await this.acquirePermit(health, route);
    let isOverflow = false;
    const timer = setTimeout(() => {
      onSlow();
      if (health === 'slow' || !this.isFree(overflow)) return;
      isOverflow = true;
      this.acquire(overflow);
      this.release(pool);
    }, SLOW_AFTER_MS);
    try {
      return await send();
    } finally {
      clearTimeout(timer);
      this.release([...(isOverflow ? overflow : pool), ...host]);
    }
  }

  private acquirePermit(health: EndpointHealth, route: Route): Promise<Group> {
    const { waiting } = this.pools[health];
    const created = this.newGroup(health, route);
    const group = waiting.get(created.tenant)?.get(created.key) ?? created;
    if (this.hasRoom(group)) {
      this.acquire([...group.pool, ...group.host]);
      return Promise.resolve(group);
    }
    addLast(waiting, group);
    return new Promise((resolve) => group.starts.push(() => resolve(group)));
  }

  private newGroup(health: EndpointHealth, { tenants, host }: Route): Group {
    const { max } = this.pools[health];
    const { hostMax } = this.limits;
    return {
      key: [...tenants, host].join(' '),
      tenant: tenants.at(-1)!,
      pool: limitsOf(health, max, { tenants, share: TENANT_SHARE }),
      overflow: limitsOf(OVERFLOW, this.overflowMax, { tenants, share: TENANT_SHARE }),
      host: limitsOf(`host ${host}`, hostMax, { tenants, share: TENANT_HOST_SHARE }),
      starts: [],
    };
  }

  private hasRoom({ pool, host }: Group): boolean {
    return this.isFree(pool) && this.isFree(host);
  }

  private isFree(limits: readonly Limit[]): boolean {
    return limits.every(({ key, max }) => this.usedOf(key) < max);
  }

  private acquire(limits: readonly Limit[]): void {
    for (const { key } of limits) this.used.set(key, this.usedOf(key) + 1);
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
    for (const [tenant, groups] of waiting) {
      if (this.usedOf(health) >= max) return;
      const group = [...groups.values()].find((each) => this.hasRoom(each));
      if (!group) continue;
      this.acquire([...group.pool, ...group.host]);
      group.starts.shift()!();
      // Its next delivery waits behind those to other hosts, and the tenant behind the others.
      groups.delete(group.key);
      if (group.starts.length > 0) groups.set(group.key, group);
      waiting.delete(tenant);
      if (groups.size > 0) waiting.set(tenant, groups);
    }
  }

  private usedOf(key: string): number {
    return this.used.get(key) ?? 0;
  }
}

/** Returns the limit of all together, and that of each tenant. */
function limitsOf(
  key: string,
  max: number,
  { tenants, share }: { tenants: readonly string[]; share: number },
): Limit[] {
  return [{ key, max }, ...tenants.map((tenant) => ({ key: `${key} ${tenant}`, max: Math.ceil(max / share) }))];
}

function addLast(waiting: Pool['waiting'], group: Group): void {
  const groups = waiting.get(group.tenant) ?? new Map<string, Group>();
  groups.set(group.key, group);
  waiting.set(group.tenant, groups);
}
