import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deserialize, type Document } from 'bson';
import { FrameReader } from '@waymark/mongo-gateway/frames';

/** The pause between two bytes of a reply that arrives slowly. */
const SLOW_BYTE_MS = 100;

/** A proxy between the driver and the database that records the commands, and can disturb the connections. */
export class WireRecorder {
  readonly commands: Document[] = [];
  private readonly sockets = new Set<Socket>();
  private isSilent = false;
  private isSlow = false;
  private failingCommand?: string;

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

  /** From now on replies arrive byte by byte, so that no connection is ever silent for long. */
  slowDown(): void {
    this.isSlow = true;
  }

  /** From now on each connection that sends this command closes, and the database does not see it. */
  closeAt(commandName: string): void {
    this.failingCommand = commandName;
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
      const commands: Document[] = [];
      for (let frame = reader.next(); frame; frame = reader.next()) commands.push(deserialize(frame.body));
      this.commands.push(...commands);
      if (commands.some((command) => this.failingCommand && this.failingCommand in command)) return client.destroy();
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (this.isSlow) void writeSlowly(client, chunk);
      else if (!this.isSilent) client.write(chunk);
    });
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

async function writeSlowly(socket: Socket, chunk: Buffer): Promise<void> {
  for (const byte of chunk) {
    if (socket.destroyed) return;
    socket.write(Buffer.of(byte));
    await sleep(SLOW_BYTE_MS);
  }
}
