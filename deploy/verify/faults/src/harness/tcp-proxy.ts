import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

type Mode = 'pass' | 'blackhole' | 'drip' | 'late' | 'cut';

const LATE_MS = 500;
/** Of answers, within which a connection is cut. */
const CUT_WITHIN_BYTES = 8_000;

/** A proxy that disturbs the connections between a process and a server, with some of the toxics of Toxiproxy. */
export class TcpProxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private mode: Mode = 'pass';
  /** Connections that were cut within an answer. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (client) => this.join(client));
  }

  static async start(target: { host: string; port: number }): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.pairs.size;
  }

  /**
   * `blackhole` swallows every byte, `drip` passes one at a time, `late` each chunk half a second later, `cut` resets a
   * connection within an answer, so that the outcome is unknown.
   */
  set(mode: Mode): void {
    this.mode = mode;
  }

  /** Ends every connection with a TCP reset. */
  resetAll(): number {
    const count = this.pairs.size;
    for (const [client, server] of this.pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    return count;
  }

  stop(): Promise<void> {
    this.resetAll();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private join(client: Socket): void {
    const server = connect(this.target);
    const pair: [Socket, Socket] = [client, server];
    this.pairs.add(pair);
    let left = Math.ceil(Math.random() * CUT_WITHIN_BYTES);
    server.prependListener('data', (answer) => {
      if (this.mode !== 'cut' || left <= 0 || (left -= answer.length) > 0) return;
      this.cuts += 1;
      client.resetAndDestroy();
    });
    for (const [from, to] of [pair, [server, client] as const]) {
      from.on('data', (chunk) => void this.pass(chunk, from, to));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
    }
  }

  private async pass(chunk: Buffer, from: Socket, to: Socket): Promise<void> {
    if (this.mode === 'blackhole') return;
    if (this.mode === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    if (this.mode !== 'drip') return void (to.writable && to.write(chunk));
    from.pause();
    for (const byte of chunk) {
      if (!to.writable) return;
      to.write(Buffer.of(byte));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    from.resume();
  }
}
