import type { Collection } from 'mongoose';

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
