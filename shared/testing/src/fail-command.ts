import type { Collection, Connection } from 'mongoose';

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

interface FailingModel {
  db: Connection;
  collection: Collection;
}

/**
 * Makes the next commands on a model's collection fail, or none any more. Commands of background work, and of requests
 * that have already failed, count too: use `whileCommandFails` where there may be some.
 */
export async function failCommand(
  model: FailingModel,
  mode: 'off' | 'alwaysOn' | { times: number },
  data?: FailPointData,
): Promise<void> {
  const { db, collection } = model;
  const namespace = `${db.name}.${collection.name}`;
  await db.db!.admin().command({ configureFailPoint: 'failCommand', mode, data: { namespace, ...data } });
}

/** Does work while a command on a model's collection fails, whoever sends it. */
export async function whileCommandFails<T>(
  model: FailingModel,
  { command, errorCode }: { command: string; errorCode: number },
  work: () => Promise<T>,
): Promise<T> {
  await failCommand(model, 'alwaysOn', { failCommands: [command], errorCode });
  try {
    return await work();
  } finally {
    await failCommand(model, 'off');
  }
}
