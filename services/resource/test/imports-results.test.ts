import { z } from 'zod';
import { importRow, importSummary, type ImportRowBody } from '@waymark/contract/imports';
import type { CallOptions } from '@waymark/testing/service-caller';
import { waitFor } from '@waymark/testing/wait-for';
import { ImportStack, rowsOf } from './import-stack.js';

let stack: ImportStack;
beforeAll(async () => (stack = await ImportStack.start()));
afterAll(() => stack.stop());

const urlTo = (path: string) => `https://example.com/${path}`;

/** Walks the pages of the results. */
async function resultsOf(id: string, query = '', options: CallOptions = {}): Promise<ImportRowBody[]> {
  const results: ImportRowBody[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/links/imports/${id}/rows?per_page=100&page=${page}${query}`;
    const { status, body } = await stack.call('GET', path, undefined, options);
    expect(status).toBe(200);
    results.push(...z.array(importRow.strict()).parse(body.data));
    if (body.links.next === null) {
      expect(results).toHaveLength(body.meta.total);
      return results;
    }
  }
}

const outcomes = (results: ImportRowBody[]) => results.map(({ outcome }) => outcome);

/** Rows with every outcome. */
async function mixedRows(workspace: string) {
  const same = await stack.link({ short_code: `${workspace}-same`, title: 'same' }, workspace);
  const old = await stack.link({ short_code: `${workspace}-old`, title: 'old' }, workspace);
  const links = [
    { destination_url: urlTo('new') },
    { destination_url: same.destination_url, short_code: same.short_code, title: 'same' },
    { destination_url: urlTo('changed'), short_code: old.short_code.toUpperCase() },
    { destination_url: 'nowhere', status: 'paused' },
    { destination_url: urlTo('named'), short_code: `${workspace}-named` },
  ];
  return { same, old, links };
}

describe('the results of rows', () => {
  test('name the link, its code and its address for each outcome', async () => {
    const workspace = 'results';
    const { same, old, links } = await mixedRows(workspace);
    const job = await stack.import({ links, options: { on_duplicate: 'update' } }, { workspace });
    expect(job).toMatchObject({ created_count: 2, updated_count: 1, unchanged_count: 1, failed_count: 1 });
    const results = await resultsOf(job.id, '', { workspace });
    const made = new Map((await stack.links(workspace)).map((link) => [link.destination_url, link]));
    const result = (row: number, outcome: string, link: any) => {
      const { id: link_id, short_code, short_url } = link;
      return { row, outcome, link_id, short_code, short_url, errors: [] };
    };
    expect(results).toEqual([
      result(1, 'created', made.get(urlTo('new'))),
      result(2, 'unchanged', same),
      result(3, 'updated', old),
      {
        row: 4,
        outcome: 'failed',
        link_id: null,
        short_code: null,
        short_url: null,
        errors: [
          {
            field: 'destination_url',
            code: 'validation_failed',
            problem_code: 'url_invalid',
            message: expect.any(String),
          },
          {
            field: 'status',
            code: 'validation_failed',
            problem_code: 'not_allowed',
            params: { values: ['active', 'archived'] },
            message: 'The status must be active or archived.',
          },
        ],
      },
      result(5, 'created', made.get(urlTo('named'))),
    ]);
    for (const outcome of ['created', 'updated', 'unchanged', 'skipped', 'failed']) {
      const expected = results.filter((each) => each.outcome === outcome);
      expect(await resultsOf(job.id, `&outcome=${outcome}`, { workspace })).toEqual(expected);
    }
  });

  test('of a CSV with skip name the links that were left as they are', async () => {
    const workspace = 'results-csv';
    const { same, links } = await mixedRows(workspace);
    const csv = ['destination_url,short_code', ...links.map((row) => `${row.destination_url},${row.short_code ?? ''}`)];
    const options = { on_duplicate: 'skip' };
    const { id } = await stack.import({ csv: csv.join('\n'), options }, { workspace });
    const results = await resultsOf(id, '', { workspace });
    expect(outcomes(results)).toEqual(['created', 'skipped', 'skipped', 'failed', 'created']);
    expect(results[1]).toMatchObject({ link_id: same.id, short_url: same.short_url });
  });

  test('of a dry run name no link, and no code that the import would generate', async () => {
    const workspace = 'results-dry';
    const { links } = await mixedRows(workspace);
    const options = { on_duplicate: 'update', dry_run: true };
    const { id } = await stack.import({ links, options }, { workspace });
    const results = await resultsOf(id, '', { workspace });
    expect(outcomes(results)).toEqual(['created', 'unchanged', 'updated', 'failed', 'created']);
    expect(results.map(({ link_id }) => link_id)).toEqual([null, null, null, null, null]);
    expect(results.map(({ short_code }) => short_code)).toEqual([
      null,
      'results-dry-same',
      'results-dry-old',
      null,
      'results-dry-named',
    ]);
    expect(results[4]!.short_url).toBe('http://go.test/results-dry-named');
  });

  test.each([true, false])('are complete beyond the errors that the import holds (dry run: %s)', async (dry_run) => {
    const workspace = `results-many-${dry_run}`;
    const links = rowsOf(1700, (index) => (index < 200 ? {} : { status: 'paused' }));
    const { id } = await stack.import({ links, options: { dry_run } }, { workspace });
    const { data, meta } = (await stack.call('GET', `/links/imports/${id}`, undefined, { workspace })).body;
    expect([data.errors.length, data.failed_count]).toEqual([1000, 1500]);
    const rowsUrl = `http://api.test/api/v1/workspaces/${workspace}/links/imports/${id}/rows`;
    expect(meta).toEqual({ truncated: true, rows_url: rowsUrl });
    const results = await resultsOf(id, '', { workspace });
    expect(results.map(({ row }) => row)).toEqual(links.map((_, index) => index + 1));
    expect((await resultsOf(id, '&outcome=failed', { workspace })).map(({ row }) => row)).toEqual(
      Array.from({ length: 1500 }, (_, index) => index + 201),
    );
  });

  test('say that no errors are left out where the import holds exactly as many as it may', async () => {
    const job = await stack.import({ links: rowsOf(1000, () => ({ status: 'paused' })) });
    const { data, meta } = (await stack.call('GET', `/links/imports/${job.id}`)).body;
    expect([data.errors.length, meta.truncated]).toEqual([1000, false]);
  });

  test('of another workspace, of an unknown import, or with an unknown outcome are refused', async () => {
    const { id } = await stack.import({ links: rowsOf(1) });
    const status = async (path: string, options: CallOptions = {}) =>
      (await stack.call('GET', path, undefined, options)).status;
    expect(await status(`/links/imports/${id}/rows`, { workspace: 'globex' })).toBe(404);
    expect(await status('/links/imports/imp_none/rows')).toBe(404);
    expect(await status(`/links/imports/${id}/rows?outcome=deleted`)).toBe(422);
    expect(await status(`/links/imports/${id}/rows?outcome=all`)).toBe(200);
    expect(await status(`/links/imports/${id}/rows?per_page=101`)).toBe(422);
    expect(await status(`/links/imports/${id}/rows`, { access: { role: 'viewer', abilities: ['read'] } })).toBe(200);
  });

  test('expire after 30 days, and the answer then says until when they were kept', async () => {
    const job = await stack.import({ links: rowsOf(1) });
    const days = (Date.parse(job.rows_kept_until) - Date.parse(job.created_at)) / (24 * 3600_000);
    expect(days).toBe(30);
    const stored = stack.database.collection<{ importId: string; expiresAt: Date }>('import_results');
    expect((await stored.findOne({ importId: job.id }))!.expiresAt.toISOString()).toBe(job.rows_kept_until);
    expect(await stored.indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
    const past = new Date('2026-01-01T00:00:00.000Z');
    const jobs = stack.database.collection<{ _id: string }>('imports');
    await jobs.updateOne({ _id: job.id }, { $set: { rowsKeptUntil: past } });
    const { status, body } = await stack.call('GET', `/links/imports/${job.id}/rows`);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect(body.error.message).toContain(past.toISOString());
  });

  test('of an import that an earlier version began are a 404 that says so', async () => {
    const { id } = await stack.import({ links: rowsOf(1) });
    const jobs = stack.database.collection<{ _id: string }>('imports');
    await jobs.updateOne({ _id: id }, { $unset: { rowsKeptUntil: '', 'tally.unchanged': '', errorCount: '' } });
    const { data, meta } = (await stack.call('GET', `/links/imports/${id}`)).body;
    expect([data.unchanged_count, data.rows_kept_until, meta.truncated]).toEqual([0, null, false]);
    const { status, body } = await stack.call('GET', `/links/imports/${id}/rows`);
    expect([status, body.error.message]).toEqual([404, 'The results of the rows of this import were not stored.']);
  });

  test('go with the import when a workspace has more than 200', async () => {
    const workspace = 'results-pruned';
    const { id } = await stack.import({ links: rowsOf(1) }, { workspace });
    const jobs = stack.database.collection<{ _id: string; finishedAt: Date }>('imports');
    const pattern = (await jobs.findOne({ _id: id }))!;
    const later = Array.from({ length: 199 }, (_, index) => ({ ...pattern, _id: `imp_later_${index}` }));
    await jobs.insertMany(later.map((job) => ({ ...job, finishedAt: new Date(Date.now() + 60_000) })));
    const results = stack.database.collection('import_results');
    expect(await results.countDocuments({ importId: id })).toBe(1);
    await stack.import({ links: rowsOf(1) }, { workspace });
    await waitFor('the removal', async () => (await results.countDocuments({ importId: id })) === 0);
    expect(await jobs.findOne({ _id: id })).toBeNull();
  });
});

describe('the list of imports', () => {
  test('has them newest first in pages, without their errors, and those of the workspace alone', async () => {
    const workspace = 'listed';
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.unshift((await stack.import({ links: [{ destination_url: 'nowhere' }] }, { workspace })).id);
    }
    await stack.import({ links: rowsOf(1) }, { workspace: 'listed-elsewhere' });
    const first = await stack.call('GET', '/links/imports?per_page=2', undefined, { workspace });
    expect(
      z
        .array(importSummary.strict())
        .parse(first.body.data)
        .map(({ id }) => id),
    ).toEqual(ids.slice(0, 2));
    expect(first.body.meta).toMatchObject({ total: 3, last_page: 2, per_page: 2 });
    const second = await stack.call('GET', '/links/imports?per_page=2&page=2', undefined, {
      workspace,
      unversioned: true,
    });
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(first.body.data[0]).toMatchObject({ failed_count: 1, status: 'completed_with_errors' });
  });

  test('has pages of 15 unless told', async () => {
    const { status, body } = await stack.call('GET', '/links/imports', undefined, { workspace: 'listed-none' });
    expect([status, body.data, body.meta.per_page]).toEqual([200, [], 15]);
  });
});
