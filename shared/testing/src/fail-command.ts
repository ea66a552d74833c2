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

/** Makes the next commands on a model's collection fail, or none any more. */
export async function failCommand(
  model: { db: Connection; collection: Collection },
  mode: 'off' | { times: number },
  data?: FailPointData,
): Promise<void> {
  const { db, collection } = model;
  const namespace = `${db.name}.${collection.name}`;
  await db.db!.admin().command({ configureFailPoint: 'failCommand', mode, data: { namespace, ...data } });
}
