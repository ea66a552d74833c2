import type { Socket } from 'node:net';
import { networksOf, siteOf, type Network } from './networks.js';
import type { PipelineLimit } from './pipelining.js';

/** Connections that a newcomer to a full process is compared with: a flood of newcomers must cost little. */
const CANDIDATES_MAX = 64;

export interface ClientLimits {
  /** Open connections of one address; an IPv6 network has a multiple of it, see `networksOf`. */
  perAddressMax: number;
  /** Whether the peer is a trusted proxy: it carries many clients, so it has no limit of its own and keeps idle connections. */
  isProxy: (socket: Socket) => boolean;
}

interface Connection {
  socket: Socket;
  isProxy: boolean;
  networks: Network[];
  site: string;
  /** The names of its networks and its site, which are counted. */
  counted: Set<string>;
  /** Its place in the list; -1 outside. */
  index: number;
}

interface Candidate {
  connection: Connection;
  idleSince: number;
  /** Connections of its site. */
  siteCount: number;
}

export type Admission = 'admitted' | 'replaces_idle' | 'address_full' | 'total_full';

/**
 * Bounds the open connections of clients, in total and per address. In a full process a newcomer takes the place of an
 * idle connection: of the candidates the one whose site has most connections, and of these the one that is idle longest.
 * Otherwise a few addresses could hold all places without a request.
 */
export class ClientConnections {
  private readonly connections: Connection[] = [];
  private readonly counts = new Map<string, number>();
  /** The first of the next candidates. */
  private position = 0;

  constructor(
    private readonly totalMax: number,
    private readonly limits: ClientLimits,
    private readonly pipelines: PipelineLimit,
  ) {}

  /** Counts a new connection until it closes. The caller closes it unless it is admitted. */
  admit(socket: Socket): Admission {
    const connection = this.describe(socket);
    if (!connection.isProxy && this.exceedsAddress(connection)) return 'address_full';
    const isFull = this.connections.length >= this.totalMax;
    if (isFull && !this.endIdle()) return 'total_full';
    this.add(connection);
    return isFull ? 'replaces_idle' : 'admitted';
  }

  private describe(socket: Socket): Connection {
    const { remoteAddress } = socket;
    const isProxy = this.limits.isProxy(socket);
    const networks = isProxy ? [] : networksOf(remoteAddress);
    const site = siteOf(remoteAddress);
    const counted = new Set(isProxy ? [] : [...networks.map(({ name }) => name), site]);
    return { socket, isProxy, networks, counted, site, index: -1 };
  }

  private exceedsAddress({ networks }: Connection): boolean {
    const { perAddressMax } = this.limits;
    return networks.some(({ name, shareFactor }) => this.countOf(name) >= perAddressMax * shareFactor);
  }

  private add(connection: Connection): void {
    const { socket, counted } = connection;
    connection.index = this.connections.push(connection) - 1;
    for (const name of counted) this.counts.set(name, this.countOf(name) + 1);
    this.pipelines.open(socket);
    socket.once('close', () => this.remove(connection));
  }

  /** Idempotent: a connection that is ended here closes a little later. */
  private remove(connection: Connection): void {
    const { index, counted } = connection;
    if (index < 0) return;
    connection.index = -1;
    const last = this.connections.pop()!;
    if (last !== connection) {
      this.connections[index] = last;
      last.index = index;
    }
    for (const name of counted) {
      const count = this.countOf(name) - 1;
      if (count > 0) this.counts.set(name, count);
      else this.counts.delete(name);
    }
  }

  /** @returns false when each candidate has a request in flight, or comes from a proxy */
  private endIdle(): boolean {
    let chosen: Candidate | undefined;
    for (const connection of this.candidates()) {
      const idleSince = connection.isProxy ? undefined : this.pipelines.idleSince(connection.socket);
      if (idleSince === undefined) continue;
      const candidate = { connection, idleSince, siteCount: this.countOf(connection.site) };
      if (!chosen || isBefore(candidate, chosen)) chosen = candidate;
    }
    if (!chosen) return false;
    this.remove(chosen.connection);
    chosen.connection.socket.destroy();
    return true;
  }

  /** Returns all connections if they are few, or else some that are spread evenly: next to each other are those of one burst. */
  private candidates(): Connection[] {
    const total = this.connections.length;
    const step = Math.ceil(total / CANDIDATES_MAX);
    this.position = (this.position + 1) % step;
    return Array.from(
      { length: Math.ceil((total - this.position) / step) },
      (_, index) => this.connections[this.position + index * step]!,
    );
  }

  private countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }
}

const isBefore = (a: Candidate, b: Candidate): boolean =>
  a.siteCount === b.siteCount ? a.idleSince < b.idleSince : a.siteCount > b.siteCount;
