import { createRequire } from 'node:module';
import type { ClientSession } from 'mongoose';

export type CommandParameters = [
  namespace: unknown,
  command: Record<string, unknown>,
  options?: { session?: ClientSession; socketTimeoutMS?: number },
  responseType?: unknown,
];

export interface DriverConnection {
  readonly id: number | string;
  readonly address: string;
  /** 0 for no limit. */
  readonly socketTimeoutMS: number;
  /** Set before it emits `close`. */
  readonly error: Error | null;
  once(event: 'close', listener: () => void): this;
  off(event: 'close', listener: () => void): this;
  /** Destroys the socket, and fails the command that waits for a reply. */
  cleanup(error: Error): void;
  command: (this: DriverConnection, ...parameters: CommandParameters) => Promise<unknown>;
  writeCommand: (this: DriverConnection, message: unknown, options: unknown) => Promise<void>;
}

/** The driver's class of one connection (7.8), which it does not export. */
export const { Connection } = createRequire(__filename)('mongodb/lib/cmap/connection.js') as {
  Connection: { prototype: DriverConnection };
};
