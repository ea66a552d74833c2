import type { ServerResponse } from 'node:http';
import { WebhookServer, type Behaviour, type WebhookRequest } from '@waymark/testing/webhook-server';

const accept: Behaviour = (response) => void response.writeHead(204).end();

/** The event's own time comes first in the body, before its data. */
const CREATED_AT = /"created_at":"([^"]+)"/;

/** Endpoints on loopback: each path is one, and counts how often each event has arrived. */
export class WebhookReceiver {
  private readonly counts = new Map<string, Map<string, number>>();
  private readonly arrivals = new Map<string, number>();
  private readonly delays = new Map<string, number[]>();
  private readonly behaviours = new Map<string, Behaviour>();
  private server!: WebhookServer;

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server = await WebhookServer.start((request, response) => receiver.receive(request, response));
    return receiver;
  }

  stop(): void {
    void this.server.stop();
  }

  get port(): number {
    return this.server.port;
  }

  /** Adds an endpoint, whose behaviour gets the number of different events before the request. */
  addEndpoint(path: string, behaviour: Behaviour = accept): string {
    this.behaviours.set(path, behaviour);
    this.counts.set(path, new Map());
    this.delays.set(path, []);
    return this.server.urlOf(path);
  }

  /** How often each event has arrived at this endpoint. */
  eventsAt(path: string): ReadonlyMap<string, number> {
    return this.counts.get(path)!;
  }

  /** When an event arrived at this endpoint for the first time. */
  arrivalOf(path: string, eventId: string): number | undefined {
    return this.arrivals.get(`${path} ${eventId}`);
  }

  /** Milliseconds between each event and its first arrival at this endpoint, in the order of arrival. */
  delaysAt(path: string): readonly number[] {
    return this.delays.get(path)!;
  }

  private receive({ path, id, text }: WebhookRequest, response: ServerResponse): unknown {
    const counts = this.counts.get(path);
    if (!counts) return response.writeHead(404).end();
    const nth = counts.size;
    counts.set(id, (counts.get(id) ?? 0) + 1);
    const arrival = `${path} ${id}`;
    if (!this.arrivals.has(arrival)) {
      const arrivedAt = Date.now();
      this.arrivals.set(arrival, arrivedAt);
      this.delays.get(path)!.push(arrivedAt - Date.parse(CREATED_AT.exec(text)![1]!));
    }
    return (this.behaviours.get(path) ?? accept)(response, nth);
  }
}
