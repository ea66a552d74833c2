import type { ServerResponse } from 'node:http';
import { webhooks } from '@waymark/client';
import { WebhookServer, type WebhookRequest } from '@waymark/testing/webhook-server';

export interface ReceivedEvent {
  id: string;
  type: string;
  data: { scan?: { id: string }; link?: { id: string }; qr_code?: { id: string } };
}

/** A webhook endpoint as a customer would write it. */
export class Receiver {
  /** Verified events by id; a repeated delivery is here once. */
  readonly events = new Map<string, ReceivedEvent>();
  readonly rejected: string[] = [];
  private secret?: string;
  private server!: WebhookServer;

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server = await WebhookServer.start((request, response) => receiver.receive(request, response));
    return receiver;
  }

  get url(): string {
    return this.server.urlOf('/hook');
  }

  useSecret(secret: string): void {
    this.secret = secret;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  private receive({ headers, text }: WebhookRequest, response: ServerResponse): void {
    try {
      const event = webhooks.verify<ReceivedEvent>(text, headers, this.secret!);
      this.events.set(event.id, event);
      response.writeHead(204).end();
    } catch (error) {
      this.rejected.push(String(error));
      response.writeHead(400).end();
    }
  }
}
