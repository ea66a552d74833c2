import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** What an endpoint does with its nth delivery, from 0. */
export type Behaviour = (response: ServerResponse, nth: number) => void;

const accept: Behaviour = (response) => void response.writeHead(204).end();

/** Endpoints on loopback: each path is one, and counts how often each event has arrived. */
export class WebhookReceiver {
  private readonly counts = new Map<string, Map<string, number>>();
  private readonly arrivals = new Map<string, number>();
  private readonly behaviours = new Map<string, Behaviour>();

  private constructor(private readonly server: Server & { closeAllConnections(): void }) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => void receiver.receive(request, response));
    const receiver = new WebhookReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  addEndpoint(path: string, behaviour: Behaviour = accept): string {
    this.behaviours.set(path, behaviour);
    this.counts.set(path, new Map());
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** How often each event has arrived at this endpoint. */
  eventsAt(path: string): ReadonlyMap<string, number> {
    return this.counts.get(path)!;
  }

  /** When an event arrived at this endpoint for the first time. */
  arrivalOf(path: string, eventId: string): number | undefined {
    return this.arrivals.get(`${path} ${eventId}`);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!;
    const eventId = String(request.headers['webhook-id']);
    for await (const _ of request);
    const counts = this.counts.get(path);
    if (!counts) return void response.writeHead(404).end();
    const nth = counts.size;
    counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
    const arrival = `${path} ${eventId}`;
    if (!this.arrivals.has(arrival)) this.arrivals.set(arrival, Date.now());
    (this.behaviours.get(path) ?? accept)(response, nth);
  }
}
