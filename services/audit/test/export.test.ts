import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { mongo, type Connection } from 'mongoose';
import type { Role } from '@waymark/contract/roles';
import type { Database } from '@waymark/kernel/mongo/database';
import { waitFor } from '@waymark/testing/wait-for';
import { appendEntries } from '@waymark/audit/collecting/append-entries';
import type { StoredEntry } from '@waymark/audit/entries/entry-store';
import { ADA, BOT, openLog, sampleEntry } from './open-log.js';
import { AuditService, folderEvent } from './service.js';

let service: AuditService;
const folder = mkdtempSync(join(tmpdir(), 'waymark-audit-'));
beforeAll(async () => {
  service = await AuditService.start();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.stop();
});

const exported = (workspace: string, query = '') => service.get(`/export${query}`, { workspace });
const entries = () => service.database.collection<StoredEntry>('log_entries');
const heads = () => service.database.collection<{ _id: string }>('heads');
const slippedIn = (entry: StoredEntry, seq: unknown) =>
  entries().insertOne({ ...entry, _id: `${entry._id}-forged`, seq: seq as number });
const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { columns: true, record_delimiter: '\r\n' });

/** Runs the verification program from docs/audit.md on an export, as its reader would. */
function runProgram(csv: string): { code: number; output: string } {
  const [, program] = /```js\n([^]*?)```/.exec(readFileSync(resolve(__dirname, '../../../docs/audit.md'), 'utf8'))!;
  const [script, file] = [join(folder, 'verify-audit-log.mjs'), join(folder, 'log.csv')];
  writeFileSync(script, program!);
  writeFileSync(file, csv);
  try {
    return { code: 0, output: execFileSync(process.execPath, [script, file], { encoding: 'utf8' }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, output: stdout };
  }
}

const NASTY = ['=cmd|/c', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '＝x', "'x", 'a,"b"\r\nc', '', '😀 ü'];

describe('the export', () => {
  test('the export has a row per entry, newest first, without formulas', async () => {
    const events = NASTY.map((label, index) =>
      folderEvent('rows', { label, actor: index % 2 ? ADA : BOT, changes: { name: { from: null, to: label } } }),
    );
    await service.publish(...events);
    await service.listed(events.length, 'rows');
    const { status, headers, text } = await exported('rows');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="audit-log-rows-\d{4}-\d\d-\d\d\.csv"$/);
    const rows = rowsOf(text);
    expect(rows.map(({ id }) => id)).toEqual(events.map(({ id }) => id.replace('evt_', 'aud_')).reverse());
    rows.reverse().forEach((row, index) => {
      expect(row).toMatchObject({
        action: 'folder.created',
        actor_id: index % 2 ? 'usr_ada' : 'usr_bob',
        actor_type: index % 2 ? 'user' : 'token',
        actor_token_id: index % 2 ? '' : 'tok_1',
        actor_name: index % 2 ? 'Ada' : 'Bob',
        actor_token_name: index % 2 ? '' : 'CI',
        ip_address: '203.0.113.7',
        workspace: 'rows',
        seq: String(index + 1),
      });
      expect(row['target_label']!.replace(/^'/, '')).toBe(NASTY[index]);
      expect(JSON.parse(row['changes']!)).toEqual({ name: { from: null, to: NASTY[index] } });
      for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
    });
  });

  test('the program of the documentation verifies the export', async () => {
    const { text } = await exported('rows');
    expect(runProgram(text)).toEqual({
      code: 0,
      output: expect.stringMatching(new RegExp(`^${NASTY.length} entries, all as they were appended; the last is 12 `)),
    });
    const tampered = text.replace('203.0.113.7', '203.0.113.8');
    expect(runProgram(tampered)).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not what its hash says'),
    });
    const without = text.split('\r\n"aud_').toSpliced(5, 1).join('\r\n"aud_');
    expect(runProgram(without).output).toContain('some are not in this file');
  });

  test('entries that are read in several batches, because they are long, are all exported', async () => {
    const events = Array.from({ length: 5 }, () => folderEvent('long'));
    await service.publish(...events);
    await service.listed(5, 'long');
    const changes = JSON.stringify({ name: { from: null, to: 'x'.repeat(300_000) } });
    await entries().updateMany({ workspace: 'long' }, { $set: { changes } });
    const rows = rowsOf((await exported('long')).text);
    expect(rows.map(({ id, changes: shown }) => [id, shown])).toEqual(
      events.map(({ id }) => [id.replace('evt_', 'aud_'), changes]).reverse(),
    );
  });

  test('the export contains the matches of its filters', async () => {
    const ours = folderEvent('filtered', { actor: BOT, at: '2026-01-30T12:00:00.000Z' });
    await service.publish(ours, folderEvent('filtered'), folderEvent('filtered', { actor: BOT }));
    await service.listed(3, 'filtered');
    const { text } = await exported('filtered', '?actor=BOB@example.com&action=folder.*&from=2026-01-30&to=2026-01-30');
    expect(rowsOf(text).map(({ id }) => id)).toEqual([ours.id.replace('evt_', 'aud_')]);
    const target = ours.audit!.target!.id;
    const { text: byTarget } = await exported('filtered', `?target=${target}&actor=BOB@example.com`);
    expect(rowsOf(byTarget).map(({ id }) => id)).toEqual([ours.id.replace('evt_', 'aud_')]);
    const { text: byRequest } = await exported('filtered', '?request_id=none');
    expect(rowsOf(byRequest)).toEqual([]);
  });

  test('the export adds an entry and contains only earlier ones', async () => {
    await service.publish(folderEvent('watched'));
    await service.listed(1, 'watched');
    expect(rowsOf((await exported('watched', '?action=folder.*')).text)).toHaveLength(1);
    await service.listed(2, 'watched');
    const { body } = await service.get('', { workspace: 'watched' });
    expect(body.data[0]).toMatchObject({
      action: 'audit_log.exported',
      actor: ADA,
      target: { type: 'audit_log', id: 'watched', label: null },
      changes: { filters: { from: null, to: { action: 'folder.*' } } },
      ip_address: '127.0.0.1',
      request_id: expect.any(String),
    });
  });

  test('the export of an empty log contains only the header', async () => {
    const { status, text } = await exported('nothing');
    expect(status).toBe(200);
    expect(text).toMatch(/^"id","action",.*"hash","redacted_at"\r\n$/);
  });

  test.each([
    ['?from=2026-02-01&to=2026-01-31', ['from']],
    ['?from=2026-02-01T00:00:00Z&to=2026-01-31', ['from']],
    ['?action=folder&actor=&from=x&to=2026-13-01', ['action', 'from', 'to']],
    ['?action[$ne]=x&actor=a&actor=b', ['action', 'actor']],
    ['?to=9999-12-31T23:59:59-14:00', ['to']],
  ])('the export with %s returns 422 as JSON and adds no entry', async (query, fields) => {
    const { status, headers, body } = await exported('refused', query);
    expect([status, Object.keys(body.error.details).sort()]).toEqual([422, fields]);
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      'application/json; charset=utf-8',
      null,
    ]);
    await service.publish(folderEvent('refused', { label: query }));
    const { body: list } = await service.get('?action=audit_log.*', { workspace: 'refused' });
    expect(list.meta.total).toBe(0);
  });

  test('the export returns 403 and the missing entitlement without the plan', async () => {
    const { status, body } = await service.get('/export', { entitlements: [] });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect(body.error.details).toEqual({ entitlement: 'audit_logs.export', required_plan: 'enterprise' });
  });

  test.each<Role>(['editor', 'analyst', 'viewer'])('a member with the role %s gets 403', async (role) => {
    const { status, body } = await service.get('/export', { role });
    expect([status, body.error.details]).toEqual([403, undefined]);
  });

  test.each(['', '?action=link.*'])(
    'the export %s of a growing log contains the log as of the request',
    async (query) => {
      const { stores, close } = await openLog(service.mongoUri);
      const workspace = query === '' ? 'grows' : 'grows-filtered';
      try {
        const old = new Date('2020-01-01');
        await appendEntries(
          stores,
          Array.from({ length: 3000 }, () => sampleEntry(workspace)),
        );
        const response = await slowly(workspace, query);
        // Older than all other entries, so the export has not reached their position yet.
        await appendEntries(
          stores,
          Array.from({ length: 50 }, () => sampleEntry(workspace, { createdAt: old })),
        );
        response.setEncoding('utf8');
        let text = '';
        for await (const piece of response) text += piece;
        const rows = rowsOf(text);
        expect(rows).toHaveLength(3000);
        expect(new Set(rows.map(({ seq }) => Number(seq))).size).toBe(3000);
        expect(Math.max(...rows.map(({ seq }) => Number(seq)))).toBe(3000);
      } finally {
        await close();
      }
    },
  );

  test.each<[string, (last: StoredEntry) => Promise<unknown>, number]>([
    ['whose end was deleted', ({ workspace }) => heads().deleteOne({ _id: workspace }), 3],
    ['with a forged entry at its next place', (last) => slippedIn(last, 4), 4],
    ['with a forged entry without a number', (last) => slippedIn(last, null), 4],
    ['with a forged entry with the number Infinity', (last) => slippedIn(last, Infinity), 4],
    ['with a forged entry with a number that is none of ours', (last) => slippedIn(last, mongo.Long.MAX_VALUE), 4],
    ['with an entry that no list finds', ({ _id }) => entries().updateOne({ _id }, { $set: { facets: [] } }), 3],
    ['whose counts of each day are gone', () => service.database.collection('tallies').deleteMany({}), 3],
  ])('the export of a log %s has every entry', async (what, tamper, count) => {
    const workspace = `evidence-${what.replaceAll(/\W/g, '')}`;
    await service.publish(folderEvent(workspace), folderEvent(workspace), folderEvent(workspace));
    await service.listed(3, workspace);
    const chain = await entries().find({ workspace }).sort({ seq: 1 }).toArray();
    await tamper(chain.at(-1)!);
    const { status, text } = await exported(workspace);
    expect([status, rowsOf(text).length]).toEqual([200, count]);
    expect(rowsOf(text).map(({ id }) => id)).toEqual(expect.arrayContaining(chain.map(({ _id }) => _id)));
  });

  test('more exports than read at the same time all complete, beside some whose client does not read', async () => {
    const { stores, close } = await openLog(service.mongoUri);
    const workspace = 'many-exports';
    const count = 1200;
    try {
      await appendEntries(
        stores,
        Array.from({ length: count }, () => sampleEntry(workspace)),
      );
      const idle = Array.from({ length: 6 }, () => stores.entries.streamLog(workspace, count));
      for (const stream of idle) expect((await stream.next()).value).toMatchObject({ workspace });
      const batches = countCheckedOut(stores.db);
      const logs = await Promise.all(
        Array.from({ length: 24 }, () => numbersOf(stores.entries.streamLog(workspace, count))),
      );
      for (const numbers of logs) expect(numbers).toEqual(Array.from({ length: count }, (_, index) => count - index));
      expect(batches.most).toBe(2);
      for (const stream of idle) await stream.return(undefined);
    } finally {
      await close();
    }
  });

  test('an abandoned export ends, and the service answers other requests', async () => {
    const response = await slowly('grows');
    response.destroy();
    await waitFor('the next answer', async () => (await service.get('', { workspace: 'grows' })).status === 200);
    expect((await exported('grows', '?to=2020-12-31')).status).toBe(200);
  });
});

async function numbersOf(entries: AsyncIterable<{ seq: number }>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { seq } of entries) numbers.push(seq);
  return numbers;
}

/** Counts the connections for long operations that are in use at the same time. */
function countCheckedOut(db: Database): { most: number } {
  const used = { count: 0, most: 0 };
  const client = (db as unknown as { longConnection: Connection }).longConnection.getClient();
  client.on('connectionCheckedOut', () => (used.most = Math.max(used.most, (used.count += 1))));
  client.on('connectionCheckedIn', () => (used.count -= 1));
  return used;
}

/** Resolves once the response headers have arrived, before the body is read. */
async function slowly(workspace: string, query = ''): Promise<IncomingMessage> {
  const { url, headers } = service.addressed(`/export${query}`, { workspace });
  const outgoing = request(url, { headers }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.pause();
  return response;
}
