import mongoose, { type Connection } from 'mongoose';
import fc from 'fast-check';
import type { AuditFilters } from '@waymark/contract/audit-logs';
import type { Actor } from '@waymark/contract/identity';
import { freshBacking } from '@waymark/testing/backing';
import { appendEntries, type AppendContext } from '@waymark/audit/collecting/append-entries';
import type { Entry } from '@waymark/audit/chain/entry';
import { entryFilter, filterProblems } from '@waymark/audit/entries/entry-filter';
import { listEntries } from '@waymark/audit/reading/list-entries';
import { ADA, BOT, openLog, sampleEntry } from './open-log.js';

const { MONGODB_URI } = freshBacking();
const COUNT = 4000;
const DAYS = 40;
const START = Date.parse('2026-01-01T00:00:00Z');
const ACTIONS = ['link.created', 'link.updated', 'link.import_started', 'token.created', 'session.failed'];
const NOBODY: Actor = { type: 'user', id: null, name: null, email: null, token_id: null };
const ACTORS = [ADA, BOT, { ...BOT, type: 'user' as const, token_id: null }, NOBODY];

let log: { stores: AppendContext; close: () => Promise<void> };
let database: Connection;
/** Newest first. */
let entries: Entry[];

beforeAll(async () => {
  log = await openLog(MONGODB_URI);
  database = await mongoose.createConnection(MONGODB_URI).asPromise();
  // Not in chronological order, many with equal times, some in the last millisecond of a day, and some days without
  // entries.
  const made = Array.from({ length: COUNT }, (_, i) =>
    sampleEntry('acme', {
      action: ACTIONS[((i * 7) % 11) % ACTIONS.length],
      actor: ACTORS[((i * 5) % 13) % ACTORS.length],
      target: i % 9 === 0 ? null : { type: 'link', id: `lnk_${i % 40}`, label: 'Spring' },
      requestId: i % 7 === 0 ? null : `req-${i % 300}`,
      createdAt: new Date(START + ((i * 37) % 200) * ((DAYS * 24 * 3600 * 1000) / 200) + (i % 3) - 1),
    }),
  );
  for (let i = 0; i < COUNT; i += 500) await appendEntries(log.stores, made.slice(i, i + 500));
  await appendEntries(log.stores, [sampleEntry('other')]);
  entries = made.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1));
});
afterAll(async () => {
  await database.close();
  await log.close();
});

/** Applies the documented filter rules to one entry. */
function matches({ action, actor, target, requestId, createdAt }: Entry, filters: AuditFilters): boolean {
  const names = [actor.id, actor.token_id, actor.email, 'all'];
  const time = createdAt.toISOString();
  const { from, to } = filters;
  if (filters.action?.endsWith('.*') && !action.startsWith(filters.action.slice(0, -1))) return false;
  if (filters.action && !filters.action.endsWith('.*') && action !== filters.action) return false;
  if (filters.actor && !names.includes(filters.actor.toLowerCase())) return false;
  if (filters.target !== undefined && target?.id !== filters.target) return false;
  if (filters.request_id !== undefined && requestId !== filters.request_id) return false;
  if (from !== undefined && (from.includes('T') ? time : time.slice(0, 10)) < from) return false;
  return to === undefined || (to.includes('T') ? time : time.slice(0, 10)) <= to;
}

const time = fc
  .tuple(fc.integer({ min: -1, max: DAYS + 1 }), fc.integer({ min: 0, max: 24 * 3600 * 1000 - 1 }), fc.boolean())
  .map(([day, ms, isDay]) => {
    const iso = new Date(START + day * 24 * 3600 * 1000 + ms).toISOString();
    return isDay ? iso.slice(0, 10) : iso;
  });
const filters = fc.record(
  {
    action: fc.constantFrom(...ACTIONS, 'link.*', 'session.*', 'folder.*', 'folder.deleted'),
    actor: fc.constantFrom('usr_ada', 'ADA@example.com', 'usr_bob', 'bob@example.com', 'tok_1', 'nobody', '*', 'all'),
    target: fc.constantFrom('lnk_1', 'lnk_9', 'LNK_1', 'lnk_.*', 'none'),
    request_id: fc.constantFrom('req-1', 'req-55', 'none'),
    from: time,
    to: time,
  },
  { requiredKeys: [] },
);
const pages = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ page: fc.integer({ min: 1, max: 4 }), perPage: fc.integer({ min: 1, max: 100 }) }),
  },
  { weight: 2, arbitrary: fc.record({ page: fc.integer({ min: 1, max: 300 }), perPage: fc.constantFrom(15, 100) }) },
);

test('every page of every filter is correct, with an exact total and a cursor to the next page', async () => {
  await fc.assert(
    fc.asyncProperty(filters, pages, async (asked, page) => {
      fc.pre(Object.keys(filterProblems('links', asked)).length === 0);
      const expected = entries.filter((entry) => matches(entry, asked));
      let from = (page.page - 1) * page.perPage;
      let cursor: string | undefined;
      for (const number of [page.page, page.page + 1, page.page + 2]) {
        const found = await listEntries(
          log.stores,
          { workspace: 'acme', filter: entryFilter(asked) },
          { ...page, cursor },
        );
        const ids = expected.slice(from, from + page.perPage).map(({ _id }) => _id);
        expect([found.total, found.page]).toEqual([expected.length, number]);
        expect(found.items.map(({ _id }) => _id)).toEqual(ids);
        from += page.perPage;
        expect(found.nextCursor === null).toBe(from >= expected.length);
        if (found.nextCursor === null) break;
        cursor = found.nextCursor;
      }
    }),
    { numRuns: 300, endOnFailure: true },
  );
});

test('all pages together are the log, by number and by cursor', async () => {
  const byNumber: string[] = [];
  const byCursor: string[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= COUNT / 100; page += 1) {
    const numbered = await listEntries(log.stores, { workspace: 'acme', filter: {} }, { page, perPage: 100 });
    byNumber.push(...numbered.items.map(({ _id }) => _id));
    const next = await listEntries(log.stores, { workspace: 'acme', filter: {} }, { page: 1, perPage: 100, cursor });
    byCursor.push(...next.items.map(({ _id }) => _id));
    cursor = next.nextCursor ?? undefined;
  }
  expect(byNumber).toEqual(entries.map(({ _id }) => _id));
  expect(byCursor).toEqual(byNumber);
  expect(cursor).toBeUndefined();
});
