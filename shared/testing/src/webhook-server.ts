import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebhookRequest {
  path: string;
  /** The id of the event. */
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
}

type Receive = (request: WebhookRequest, response: ServerResponse) => unknown;

/** What an endpoint does with the nth request on its path, from 0. */
export type Behaviour = (response: ServerResponse, nth: number) => unknown;

/** A server on loopback that passes on each request once its body is complete. */
export class WebhookServer {
  connections = 0;
  private readonly server = createServer((request, response) => void this.read(request, response));

  private constructor(private readonly receive: Receive) {
    this.server.on('connection', () => (this.connections += 1));
  }

  static async start(receive: Receive): Promise<WebhookServer> {
    const server = new WebhookServer(receive);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  dropConnections(): void {
    this.server.closeAllConnections();
  }

  stop(): Promise<void> {
    const isClosed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.dropConnections();
    return isClosed;
  }

  private async read(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url, headers } = request;
    const text = Buffer.concat(chunks).toString('utf8');
    await this.receive({ path: url!, id: String(headers['webhook-id']), headers, text }, response);
  }
}
