import { Database } from '../mongo/database.js';
import { Lifecycle } from '../process/lifecycle.js';
import { createLog } from '../process/log.js';

const CONNECT_TIMEOUT_MS = 15_000;

/** Opens a service's database for one command; `open` makes the stores that the command needs before it connects. */
export async function withDatabase<Context, T>(
  uri: string,
  open: (db: Database, lifecycle: Lifecycle) => Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const log = createLog('admin', 'silent');
  const lifecycle = new Lifecycle(log);
  const db = new Database(uri, { log, lifecycle }, { hasLongTransactions: true });
  const context = open(db, lifecycle);
  const deadline = setTimeout(() => {
    process.stderr.write(`error: the database does not answer within ${CONNECT_TIMEOUT_MS / 1000} s\n`);
    process.exit(1);
  }, CONNECT_TIMEOUT_MS);
  await db.start();
  clearTimeout(deadline);
  try {
    return await work(context);
  } finally {
    await lifecycle.stop();
  }
}
