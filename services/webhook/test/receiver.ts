import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookServer, type Behaviour, type WebhookRequest } from '@waymark/testing/webhook-server';

export type { Behaviour };

export interface Received extends WebhookRequest {
  at: number;
  body: any;
}

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
  private readonly behaviours = new Map<string, Behaviour>();
  private server!: WebhookServer;

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server = await WebhookServer.start((request, response) => receiver.take(request, response));
    return receiver;
  }

  get port(): number {
    return this.server.port;
  }

  get connections(): number {
    return this.server.connections;
  }

  /** The URL of a path that behaves like this. */
  at(path: string, behaviour: Behaviour = answering(200)): string {
    this.behaviours.set(path, behaviour);
    return this.server.urlOf(path);
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
    this.server.dropConnections();
  }

  stop(): void {
    void this.server.stop();
  }

  private take(request: WebhookRequest, response: ServerResponse): unknown {
    const nth = this.on(request.path).length;
    this.received.push({ ...request, at: Date.now(), body: parsed(request.text) });
    return (this.behaviours.get(request.path) ?? answering(200))(response, nth);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
