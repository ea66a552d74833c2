import type { Collection } from 'mongoose';

/** Shorter than the driver waits for the reply to an operation of a request. */
const BLOCK_MS = 8000;
const OBSERVATIONS_MAX = 5;

/** MongoDB's fail point `failCommand`: a mongod has it with `enableTestCommands=1`, the local gateway always. */
export interface FailPointData {
  failCommands: string[];
  errorCode?: number;
  errorLabels?: string[];
  writeConcernError?: { code: number; errmsg: string };
  closeConnection?: boolean;
  blockConnection?: boolean;
  blockTimeMS?: number;
}

/**
 * Makes the next commands on a collection fail, or none any more. Commands of background work, and of requests
 * that have already failed, count too: use `whileCommandFails` where there may be some.
 */
export async function failCommand(
  collection: Collection,
  mode: 'off' | 'alwaysOn' | { times: number },
  data?: FailPointData,
): Promise<void> {
  const { conn, name } = collection;
  const namespace = `${conn.name}.${name}`;
  await conn.db!.admin().command({ configureFailPoint: 'failCommand', mode, data: { namespace, ...data } });
}

/** Does work while a command on a collection fails for every client. */
export async function whileCommandFails<T>(
  collection: Collection,
  { command, errorCode }: { command: string; errorCode: number },
  work: () => Promise<T>,
): Promise<T> {
  await failCommand(collection, 'alwaysOn', { failCommands: [command], errorCode });
  try {
    return await work();
  } finally {
    await failCommand(collection, 'off');
  }
}

interface Block {
  command: string;
  /** The number of commands that are blocked, each for `blockMs`. */
  times: number;
  blockMs?: number;
}

/**
 * Observes what happens while the next commands on a collection are blocked. An observation that outlasts the block proves
 * nothing and is repeated: the machine was slow, or a request that should not wait had sent one of the blocked commands.
 * @param observe `rest` resolves when everything that it started has ended
 */
export async function observeWhileBlocked<T extends { rest: Promise<unknown> }>(
  collection: Collection,
  { command, times, blockMs = BLOCK_MS }: Block,
  observe: () => Promise<T>,
): Promise<T> {
  for (let observations = 1; ; observations += 1) {
    const startedAt = performance.now();
    await failCommand(collection, { times }, { failCommands: [command], blockConnection: true, blockTimeMS: blockMs });
    const observed = await observe();
    const wasBlocked = performance.now() - startedAt < blockMs;
    await observed.rest;
    if (wasBlocked || observations === OBSERVATIONS_MAX) return observed;
  }
}
