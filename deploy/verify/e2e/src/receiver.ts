import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedEvent {
  id: string;
  type: string;
  data: { scan?: { id: string }; link?: { id: string }; qr_code?: { id: string } };
}

/** A webhook endpoint as a customer would write it, with the published verification library. */
export class Receiver {
  /** Verified events by id; a repeated delivery is here once. */
  readonly events = new Map<string, ReceivedEvent>();
  readonly rejected: string[] = [];
  private webhook?: Webhook;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      void receiver.receive(request).then((status) => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  useSecret(secret: string): void {
    this.webhook = new Webhook(secret);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async receive(request: IncomingMessage): Promise<number> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      const payload = this.webhook!.verify(Buffer.concat(chunks).toString(), request.headers as Record<string, string>);
      const event = payload as ReceivedEvent;
      this.events.set(event.id, event);
      return 204;
    } catch (error) {
      this.rejected.push(String(error));
      return 400;
    }
  }
}
