import { Database } from '@waymark/kernel/mongo/database';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { freshBacking } from '@waymark/testing/backing';
import { DUE_PAGE_SIZE, DomainStore } from '@waymark/domain/domains/domain-store';

const NOW = new Date('2026-03-01T00:00:00Z');
const log = createLog('test', 'silent');
const lifecycle = new Lifecycle(log);
const db = new Database(freshBacking().MONGODB_URI, { log, lifecycle });
const domains = new DomainStore(db);
const rows = () => db.connection.collection<{ _id: string }>('domains');

beforeAll(() => db.start());
afterEach(() => rows().deleteMany({}));
afterAll(() => lifecycle.stop());

/** A domain whose check has been due for `dueMs`. */
const dueDomain = (workspace: string, dueMs: number) => ({
  _id: `${workspace}-${dueMs}`,
  workspace,
  hostname: `go${dueMs}.${workspace}.com`,
  createdBy: `usr_${workspace}`,
  nextCheckAt: new Date(NOW.getTime() - dueMs),
  checkNo: 0,
});

const claim = (page: Awaited<ReturnType<DomainStore['findDuePage']>>, busy: string[]) =>
  domains.claimCheck(page, { now: NOW, leaseEnd: NOW, except: { workspaces: busy, users: [] } });

test('a claim looks at one page of due checks, and the next page begins behind it', async () => {
  const busy = Array.from({ length: DUE_PAGE_SIZE + 500 }, (_, index) => dueDomain('busy', 10_000 - index));
  await rows().insertMany([...busy, dueDomain('idle', 1)]);

  const first = await domains.findDuePage(NOW);
  expect(first.isLast).toBe(false);
  const inFirst = await rows().countDocuments({ nextCheckAt: { $lte: first.until } });
  expect(inFirst).toBe(DUE_PAGE_SIZE);
  expect(await claim(first, ['busy'])).toBeNull();

  const second = await domains.findDuePage(NOW, first.until);
  expect(second).toEqual({ after: first.until, until: NOW, isLast: true });
  expect(await claim(second, ['busy'])).toMatchObject({ workspace: 'idle', checkNo: 1 });
  expect(await claim(first, [])).toMatchObject({ _id: 'busy-10000' });
});

test('domains whose checks cannot be claimed are counted', async () => {
  const later = { ...dueDomain('later', 0), nextCheckAt: new Date(NOW.getTime() + 1000) };
  const { nextCheckAt: _none, ...unscheduled } = dueDomain('unscheduled', 0);
  await rows().insertMany([dueDomain('sound', 1), later, unscheduled]);
  expect(await domains.countDamaged(NOW)).toBe(0);
  const damages = [{ checkNo: 'none' }, { checkNo: null }, { nextCheckAt: 'tomorrow' }, { nextCheckAt: 7 }];
  await rows().insertMany(damages.map((damage, index) => ({ ...dueDomain('damaged', index), ...damage }) as never));
  expect(await domains.countDamaged(NOW)).toBe(damages.length);
});
