import { Database } from '../mongo/database.js';
import { Lifecycle } from '../process/lifecycle.js';
import { createLog } from '../process/log.js';

/** Also for one that is starting, or creates its indexes on a busy machine. */
const CONNECT_TIMEOUT_MS = 60_000;
const NOTICE_AFTER_MS = 2000;
export const WAITING_NOTICE = 'Waiting for the database.\n';

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
  try {
    await connect(db);
    return await work(context);
  } finally {
    await lifecycle.stop();
  }
}

async function connect(db: Database): Promise<void> {
  const notice = setTimeout(() => process.stderr.write(WAITING_NOTICE), NOTICE_AFTER_MS);
  const deadline = setTimeout(() => {
    process.stderr.write(`error: the database does not answer within ${CONNECT_TIMEOUT_MS / 1000} s\n`);
    process.exit(1);
  }, CONNECT_TIMEOUT_MS);
  try {
    await db.start();
  } finally {
    clearTimeout(notice);
    clearTimeout(deadline);
  }
}
