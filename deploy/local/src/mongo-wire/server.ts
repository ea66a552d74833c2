import { createServer, type Server, type Socket } from 'node:net';
import { serialize } from 'bson';
import { readCommand } from './command';
import { answer } from './commands';
import type { Engine } from './engine';
import { errorReply, toCommandError } from './errors';
import { FrameReader, replyHead, type Frame } from './frames';
import { greeting, isGreeting } from './greeting';
import { PostgresGone } from './postgres-connection';

export class WireServer {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(
    private readonly engine: Engine,
    private readonly port: number,
  ) {
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket));
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.port, '127.0.0.1', resolve);
    });
  }

  /** Drivers must see a lost database as a network error. */
  dropClients(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.server.close();
    this.dropClients();
  }

  private accept(socket: Socket): void {
    const reader = new FrameReader();
    // A driver sends one request at a time on a socket, except pipelined unacknowledged writes: keep the order.
    let turn = Promise.resolve();
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.engine.transactions.abortClient(socket);
    });
    socket.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      try {
        for (let frame = reader.next(); frame; frame = reader.next()) {
          const received = frame;
          turn = turn.then(() => this.serve(socket, received));
        }
      } catch {
        socket.destroy();
      }
    });
  }

  private async serve(socket: Socket, frame: Frame): Promise<void> {
    try {
      const reply = await this.reply(socket, frame);
      if (frame.unacknowledged || socket.destroyed) return;
      socket.cork();
      socket.write(replyHead(frame, reply));
      socket.write(reply);
      socket.uncork();
    } catch {
      socket.destroy();
    }
  }

  private async reply(socket: Socket, frame: Frame): Promise<Buffer> {
    try {
      const command = readCommand(frame);
      if (!isGreeting(command.name)) return await answer(this.engine, { command, client: socket });
      await this.engine.pool.ready();
      return Buffer.from(serialize(greeting(command.name, this.port)));
    } catch (error) {
      if (error instanceof PostgresGone) throw error;
      return errorReply(toCommandError(error));
    }
  }
}
