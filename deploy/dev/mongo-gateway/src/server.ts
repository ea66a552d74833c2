import { createServer, type Server, type Socket } from 'node:net';
import { deserialize, serialize } from 'bson';
import { readCommand, specOf, type Command } from './command.js';
import { answer } from './commands.js';
import { Election } from './election.js';
import type { Engine } from './engine.js';
import { CommandError, errorReply, toCommandError } from './errors.js';
import { ConnectionDropped, FailPoints } from './fail-points.js';
import { FrameReader, replyHead, type Frame } from './frames.js';
import { greeting, isGreeting } from './greeting.js';
import { PostgresGone } from './postgres-connection.js';

const OK = Buffer.from(serialize({ ok: 1 }));
const ADMIN_COMMANDS: ReadonlySet<string> = new Set(['configureFailPoint', 'setParameter', 'replSetStepDown']);

export class WireServer {
  private readonly sockets = new Set<Socket>();
  private readonly failPoints = new FailPoints();
  private readonly election = new Election();
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
      if (isGreeting(command.name)) return await this.greet(command);
      this.election.check(command);
      if (ADMIN_COMMANDS.has(command.name)) return this.administer(socket, command);
      const request = { command, client: socket };
      return await this.failPoints.apply(command, () => answer(this.engine, request));
    } catch (error) {
      if (error instanceof PostgresGone || error instanceof ConnectionDropped) throw error;
      return errorReply(toCommandError(error));
    }
  }

  private async greet(command: Command): Promise<Buffer> {
    await this.engine.pool.ready();
    return Buffer.from(serialize(greeting(command.name, this.port, this.election.hasPrimary)));
  }

  /** Faults and parameters for tests, under the names that they have in MongoDB. */
  private administer(socket: Socket, command: Command): Buffer {
    if (command.name === 'configureFailPoint') this.failPoints.configure(command);
    else if (command.name === 'setParameter') this.setParameter(command);
    else this.stepDown(socket, command);
    return OK;
  }

  private setParameter(command: Command): void {
    const { maxTransactionLockRequestTimeoutMillis: waitMs } = deserialize(specOf(command)) as Record<string, unknown>;
    if (typeof waitMs !== 'number')
      throw new CommandError({ code: 72, codeName: 'InvalidOptions' }, 'unknown parameter');
    this.engine.transactions.setConflictWait(waitMs);
  }

  /** Drops transactions, cursors and the connections of all clients, as after the loss of a primary. */
  private stepDown(caller: Socket, command: Command): void {
    this.election.stepDown(command);
    this.engine.transactions.abortAll();
    this.engine.cursors.closeAll();
    for (const socket of this.sockets) if (socket !== caller) socket.destroy();
  }
}
