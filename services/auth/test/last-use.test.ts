import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { runWithShortTurns } from '@waymark/testing/event-loop';
import { LastUseRecorder } from '@waymark/auth/activity/last-use';
import { SessionStore } from '@waymark/auth/sign-in/sessions/session-store';

const USES = 10_000;
const HOUR_MS = 3600_000;
const log = createLog('test', 'fatal');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
const recorder = new LastUseRecorder('sessions', new SessionStore(db, HOUR_MS), log);

beforeAll(() => db.start());
afterAll(() => lifecycle.stop());

function flush(): Promise<void> {
  for (let index = 0; index < USES; index += 1) {
    recorder.noteUse({ id: `ses_${index}`, lastUsedAt: null }, new Date());
  }
  return recorder.flushUses();
}

test('very many last uses are written in parts, between which other work runs', async () => {
  await runWithShortTurns(flush, { runs: 4, limitMs: (cpuMs) => cpuMs / 3 });
});
