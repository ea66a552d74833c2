import { createHash } from 'node:crypto';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { listEntries } from '@waymark/audit/reading/list-entries';
import { freshBacking } from '@waymark/testing/backing';
import { failCommand } from '@waymark/testing/fail-command';
import { openLog } from './open-log.js';

const LISTED_MAX = 100_000;
const BATCH = 10_000;
const PER_PAGE = 100;
const DAY = '2026-03-01';
const NOON = Date.parse(`${DAY}T12:00:00Z`);

let log: Awaited<ReturnType<typeof openLog>>;
/** A day with one entry more than a list has. */
beforeAll(async () => {
  log = await openLog(freshBacking().MONGODB_URI);
  const { connection } = log.stores.db;
  const rowOf = (number: number) => ({
    _id: `aud_${createHash('md5').update(String(number)).digest('hex')}`,
    workspace: 'long',
    seq: number,
    facets: [`${DAY} all`],
    createdAt: new Date(NOON + number),
  });
  for (let first = 0; first <= LISTED_MAX; first += BATCH) {
    const length = Math.min(BATCH, LISTED_MAX + 1 - first);
    const rows = Array.from({ length }, (_, index) => rowOf(first + index));
    await connection.collection<StoredEntry>('log_entries').insertMany(rows as never[]);
  }
  const counts = { _id: `long all ${DAY}`, all: LISTED_MAX + 1 };
  await connection.collection<{ _id: string }>('tallies').insertOne(counts);
});
afterAll(() => log.close());

const list = (filter: object, page: number, cursor?: string) =>
  listEntries(log.stores, { workspace: 'long', filter }, { page, perPage: PER_PAGE, cursor });
const LAST_PAGE = LISTED_MAX / PER_PAGE;

test.each([
  ['a whole day', {}],
  ['a part of a day', { from: new Date(NOON) }],
])(
  'the numbered pages of %s end at the cap and are marked as truncated; a cursor reaches the rest',
  async (_what, filter) => {
    const last = await list(filter, LAST_PAGE);
    expect([last.items.length, last.items.at(-1)!.seq, last.total, last.truncated]).toEqual([
      PER_PAGE,
      1,
      LISTED_MAX,
      true,
    ]);
    const beyond = await list(filter, LAST_PAGE + 1);
    expect(beyond).toEqual({ items: [], page: LAST_PAGE + 1, nextCursor: null, total: LISTED_MAX, truncated: true });
    const rest = await list(filter, 1, last.nextCursor!);
    expect([rest.items.map(({ seq }) => seq), rest.nextCursor]).toEqual([[0], null]);
  },
);

test('a part of a day with exactly as many entries as the cap is complete', async () => {
  const { total, truncated } = await list({ from: new Date(NOON + 1) }, 1);
  expect([total, truncated]).toEqual([LISTED_MAX, false]);
});

test.each([
  ['a page', 'find', {}],
  ['a count', 'aggregate', { from: new Date(NOON) }],
])('%s that takes too long is refused with what to do', async (_what, command, filter) => {
  const { connection } = log.stores.db;
  const entries = connection.collection('log_entries');
  await failCommand(entries, { times: 1 }, { failCommands: [command], errorCode: 50 });
  await expect(list(filter, 1)).rejects.toMatchObject({
    code: 'validation_failed',
    details: { narrow: [expect.stringContaining('fewer filters')] },
  });
});
