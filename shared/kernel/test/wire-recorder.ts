import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { deserialize, type Document } from 'bson';
import { FrameReader } from '@waymark/mongo-gateway/frames';

/** A proxy between the driver and the database that records the commands, and can swallow all data sent. */
export class WireRecorder {
  readonly commands: Document[] = [];
  private readonly sockets = new Set<Socket>();
  private isSilent = false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(uri: string): Promise<WireRecorder> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WireRecorder(server, new URL(uri));
  }

  /** Past the replica set's own idea of its address, which would lead around the recorder. */
  uri(search: Record<string, string> = {}): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    url.searchParams.delete('replicaSet');
    for (const [name, value] of Object.entries({ directConnection: 'true', ...search }))
      url.searchParams.set(name, value);
    return url.href;
  }

  /** From now on neither side hears the other, and no connection closes: as with a frozen server. */
  fallSilent(): void {
    this.isSilent = true;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    const reader = new FrameReader();
    client.on('data', (chunk) => {
      if (this.isSilent) return;
      reader.push(chunk);
      for (let frame = reader.next(); frame; frame = reader.next()) this.commands.push(deserialize(frame.body));
      server.write(chunk);
    });
    server.on('data', (chunk) => void (this.isSilent || client.write(chunk)));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
  }
}
