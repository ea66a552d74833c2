import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const LIMIT = 'max_rows_to_read';

/** A proxy before the ClickHouse of the test run: it can lower the limit of rows, so that the server refuses queries. */
export class LimitedClickHouse {
  private isLowered = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(origin: string): Promise<LimitedClickHouse> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const limited = new LimitedClickHouse(server, `http://127.0.0.1:${port}`);
    server.on('request', (incoming, outgoing) => {
      const url = new URL(incoming.url!, origin);
      if (limited.isLowered && url.searchParams.has(LIMIT)) url.searchParams.set(LIMIT, '1');
      const { method, headers } = incoming;
      const forwarded = request(url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
    return limited;
  }

  /** Runs `work` while every query of figures may read one row. */
  async lowered(work: () => Promise<void>): Promise<void> {
    this.isLowered = true;
    try {
      await work();
    } finally {
      this.isLowered = false;
    }
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
