import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  at: number;
  path: string;
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: any;
}

/** What a receiver does with the nth request on a path, from 0. */
export type Behaviour = (response: ServerResponse, nth: number) => void | Promise<void>;

export const answering =
  (...statuses: number[]): Behaviour =>
  (response, nth) =>
    void response.writeHead(statuses[Math.min(nth, statuses.length - 1)]!).end();

export const slowly =
  (ms: number): Behaviour =>
  async (response) => {
    await sleep(ms);
    response.writeHead(200).end();
  };

/** A real server on loopback that keeps the requests it receives; each path has its own behaviour. */
export class Receiver {
  readonly received: Received[] = [];
  connections = 0;
  private readonly behaviours = new Map<string, Behaviour>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.take(request, response));
    this.server.on('connection', () => (this.connections += 1));
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The URL of a path that behaves like this. */
  at(path: string, behaviour: Behaviour = answering(200)): string {
    this.behaviours.set(path, behaviour);
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** A path that answers no request until the test releases it. */
  hold(path: string): { url: string; release: () => void } {
    const held: ServerResponse[] = [];
    let isHolding = true;
    const answer = (response: ServerResponse) => void response.writeHead(200).end();
    const url = this.at(path, (response) => {
      if (isHolding) held.push(response);
      else answer(response);
    });
    const release = () => {
      isHolding = false;
      held.splice(0).forEach(answer);
    };
    return { url, release };
  }

  on(path: string): Received[] {
    return this.received.filter((request) => request.path === path);
  }

  dropConnections(): void {
    this.server.closeAllConnections();
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = request.url!;
    const nth = this.on(path).length;
    const { headers } = request;
    this.received.push({ at: Date.now(), path, id: String(headers['webhook-id']), headers, text, body: parsed(text) });
    await (this.behaviours.get(path) ?? answering(200))(response, nth);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
