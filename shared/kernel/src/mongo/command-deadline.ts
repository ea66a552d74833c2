import { mongo, type ClientSession } from 'mongoose';
import { Connection, type CommandParameters, type DriverConnection } from './driver-connection.js';
import { withTimeout } from '../with-timeout.js';
import { reportProgress } from '../process/running-work.js';

/** When the transaction of a session must have ended, by `performance.now()`. */
const transactionEnds = new WeakMap<ClientSession, number>();

/**
 * Ends the transactions of a session: a command in progress then fails, and any later one except the rollback, so that
 * neither the work nor the driver, which repeats a commit for two minutes, continues.
 */
export function endTransactionsAfter(session: ClientSession, timeoutMs: number): void {
  transactionEnds.set(session, performance.now() + timeoutMs);
}

const { command: runCommand, writeCommand } = Connection.prototype;

/**
 * Bounds every command of the driver, whoever sends it: a model, a cursor, a transaction or the driver itself. The limit
 * is the connection's `socketTimeoutMS`, which the driver (7.8) applies to silence on an open socket only. A command that
 * exceeds it takes its connection along, so that the pool replaces it.
 */
Connection.prototype.command = async function (...parameters) {
  const timeoutMs = limitOf(this, parameters);
  if (timeoutMs <= 0) throw new mongo.MongoOperationTimeoutError('the transaction took too long');
  const replied = runCommand.apply(this, parameters);
  const reply = await (timeoutMs === Infinity ? replied : withTimeout(timeoutMs, replied, () => timeOut(this)));
  reportProgress();
  return reply;
};

function timeOut(connection: DriverConnection): Error {
  const { id, address } = connection;
  const error = new mongo.MongoNetworkTimeoutError(`connection ${id} to ${address} timed out`);
  connection.cleanup(error);
  return error;
}

function limitOf(connection: DriverConnection, [, command, options]: CommandParameters): number {
  const commandMs = options?.socketTimeoutMS ?? connection.socketTimeoutMS;
  const endsAt = options?.session && !command['abortTransaction'] ? transactionEnds.get(options.session) : undefined;
  return Math.min(commandMs || Infinity, endsAt === undefined ? Infinity : endsAt - performance.now());
}

/**
 * Fails a write when its connection closes. The driver waits until the socket has drained, or for its error; a socket that
 * was destroyed before the write, and has yet to report that it is closed, emits neither.
 */
Connection.prototype.writeCommand = async function (message, options) {
  let onClose!: () => void;
  const closed = new Promise<never>((_, reject) => {
    onClose = () => reject(this.error ?? new mongo.MongoNetworkError('connection closed'));
  });
  this.once('close', onClose);
  try {
    await Promise.race([writeCommand.call(this, message, options), closed]);
  } finally {
    this.off('close', onClose);
  }
};
