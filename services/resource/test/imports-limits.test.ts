import { measureCpu, measureLongestTurn } from '@waymark/testing/event-loop';
import { waitFor } from '@waymark/testing/wait-for';
import { ImportStack, rowsOf } from './import-stack.js';

let stack: ImportStack;
beforeAll(async () => (stack = await ImportStack.start()));
afterAll(() => stack.stop());

const MB = 1024 * 1024;
const FULL = 10 * MB - 200;
const ROW = { destination_url: 'https://example.com' };

/** Returns the bytes of `start`, as many of `each` as fit, and `end`. */
function filled(start: string, each: string, end: string): Buffer {
  const count = Math.floor((FULL - start.length - end.length) / each.length);
  return Buffer.from(start + each.repeat(count) + end);
}

const send = (body: Buffer, workspace: string) =>
  stack.caller.raw('POST', '/links/import', { workspace, body, headers: { 'content-type': 'application/json' } });

const storedRows = () => stack.database.collection('import_rows').countDocuments({});

/** The service removes the rows of an import after its end. */
const noRowsAreLeft = () => waitFor('the removal of the rows', async () => (await storedRows()) === 0);

/** Measures this process, which runs the service, during the work. */
async function watched<T>(work: () => Promise<T>): Promise<{ result: T; longestTurnMs: number; heapGrowth: number }> {
  const before = process.memoryUsage().heapUsed;
  let peak = before;
  const sample = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed)), 10);
  try {
    return { ...(await measureLongestTurn(work)), heapGrowth: peak - before };
  } finally {
    clearInterval(sample);
  }
}

describe('a body of 10 MB', () => {
  test.each([
    ['of numbers as rows', filled('{"links":[', '1,', '1]}'), 422, 'body'],
    ['of empty objects as rows', filled('{"links":[', '{},', '{}]}'), 422, 'body'],
    ['of brackets in a row', filled('{"links":[', '[', ''), 422, 'body'],
    ['of texts as rows', filled('{"links":[', `"${'\\ud800'.repeat(10)}",`, '1]}'), 422, 'links'],
    [
      'of numbers in a field that nothing reads',
      filled('{"links":[{}],"junk":[', `${'1'.repeat(30)},`, '1]}'),
      422,
      'junk',
    ],
    ['of names', filled('{"links":[{}],"a":1', ',"b":{}', '}'), 422, 'body'],
    ['of an object in place of rows', filled('{"links":{"x":[', `"${'x'.repeat(30)}",`, '[]]}}'), 422, 'links'],
    ['of a list', filled('[', '[],', '[]]'), 422, 'body'],
    ['of columns', filled('{"csv":"destination_url', ',title', '"}'), 422, 'csv'],
    ['of empty lines', filled('{"csv":"destination_url', '\\n', '"}'), 422, 'csv'],
    ['of short lines', filled('{"csv":"destination_url', '\\nx', '"}'), 422, 'csv'],
    ['of an open quote', filled('{"csv":"destination_url\\n\\"', 'x', '"}'), 422, 'csv'],
  ])('%s is answered, blocks no other request, and keeps out of the heap', async (_what, body, status, field) => {
    const { result, longestTurnMs, heapGrowth } = await watched(() => send(body, 'hostile'));
    expect(result.status).toBe(status);
    if (field) expect(Object.keys(result.body.error.details)).toEqual([field]);
    expect(heapGrowth).toBeLessThan(128 * MB);
    // The event loop's longest turn takes less CPU time than serializing this many bytes as JSON.
    const serializingMs = measureCpu(() => {
      for (let pass = 0; pass < 20; pass += 1) JSON.stringify(body.toString('latin1'));
    });
    expect(longestTurnMs).toBeLessThan(serializingMs);
    expect(await storedRows()).toBe(0);
  });

  test('of valid rows is taken, and stored in chunks of 100', async () => {
    const title = '\u6625'.repeat(255);
    const padding = { utm_term: 'x'.repeat(200) };
    const rows = rowsOf(10_000, () => ({ title: title.slice(0, 200), utm_defaults: padding }));
    const body = Buffer.from(JSON.stringify({ links: rows, options: { dry_run: true } }));
    expect(body.length).toBeGreaterThan(8 * MB);
    const { result, heapGrowth } = await watched(() => send(body, 'full'));
    expect(result.status).toBe(202);
    expect(heapGrowth).toBeLessThan(160 * MB);
    const job = await stack.ended(result.body.data.id, { workspace: 'full' });
    expect(job).toMatchObject({ total_rows: 10_000, created_count: 10_000, failed_count: 0 });
    await noRowsAreLeft();
  });
});

test.each(['strict', 'lenient'])(
  'a small file of thousands of columns is refused at once, with handling=%s',
  async (handling) => {
    const columns = Array.from({ length: 6000 }, (_, index) => index).join(',');
    const headers = { prefer: `handling=${handling}` };
    const { status, body } = await stack.send({ csv: `${columns}\n1` }, { workspace: 'wide', headers });
    expect([status, body.error.details]).toEqual([422, { csv: ['Line 1 has more than 100 cells.'] }]);
  },
);

test('a small import waits for no large one, and many workspaces with large ones are all served', async () => {
  const workspaces = Array.from({ length: 4 }, (_, index) => `many-${index}`);
  // On a slow machine, the last of them wait for too long to be read, and are sent again.
  const heavy = workspaces.map((workspace) =>
    waitFor(`the answer for ${workspace}`, async () => {
      const answer = await stack.send({ links: rowsOf(2000), options: { dry_run: true } }, { workspace });
      return answer.status !== 503 && answer;
    }),
  );
  const small = await stack.send({ links: rowsOf(1) }, { workspace: 'small' });
  expect(small.status).toBe(202);
  const jobs = (await Promise.all(heavy)).map(({ body }) => body.data);
  expect(jobs.map(({ total_rows }) => total_rows)).toEqual(workspaces.map(() => 2000));
  const reading = await stack.database
    .collection('imports')
    .find({}, { projection: { workspace: 1 } })
    .sort({ createdAt: 1 })
    .toArray();
  expect(reading.findIndex(({ workspace }) => workspace === 'small')).toBeLessThan(workspaces.length);
  for (const [index, { id }] of jobs.entries()) await stack.ended(id, { workspace: workspaces[index]! });
  await stack.ended(small.body.data.id, { workspace: 'small' });
  await noRowsAreLeft();
});

test.each([
  ['a broken row after good ones', '{"links":[{"destination_url":"https://a.example"},{"destination_url":}]}', 400],
  ['a row with the wrong bracket', '{"links":[{"a":[}]}]}', 400],
  ['no comma between rows', '{"links":[{} {}]}', 400],
  ['a comma after the last row', '{"links":[{},]}', 400],
  ['something behind the end', '{"links":[{}]} x', 400],
  ['no end', '{"links":[{}]', 400],
  ['an open text', '{"links":["]}', 400],
  ['a name without quotes', '{links:[{}]}', 400],
  ['a word that is none', '{"links":[nil]}', 400],
  ['a value that is none in a field that nothing reads', '{"links":[{}],"x":nil}', 400],
  ['nothing', '', 422],
  ['a number', '7', 422],
  ['a word', 'nothing', 400],
])('a body with %s is refused, and no row of it stays', async (_what, text, status) => {
  const answer = await send(Buffer.from(text), 'broken');
  expect(answer.status).toBe(status);
  expect(await storedRows()).toBe(0);
});

test.each([
  ['spaces, escapes and a mark in front', '\ufeff {\n "l\\u0069nks" : [ {"destination_url" : "https:\\/\\/example.com\\u002f\\"]"} ] ,\t"options":null }'], // prettier-ignore
  ['a name twice, of which the last counts', '{"links":[1,2],"links":[{"destination_url":"https://example.com"}]}'],
])('a body with %s is read as JSON is', async (_what, text) => {
  const answer = await send(Buffer.from(text), 'spelled');
  expect([answer.status, answer.body.data?.total_rows]).toEqual([202, 1]);
  expect(await stack.ended(answer.body.data.id, { workspace: 'spelled' })).toMatchObject({ total_rows: 1 });
});

test('a line of a CSV that is longer than 2 MB refuses the CSV', async () => {
  const csv = `destination_url,title\nhttps://example.com,"${'x'.repeat(3 * MB)}"`;
  const { body } = await stack.send({ csv });
  expect(body.error.details.csv).toEqual(['The row that reaches line 2 has more than 2097152 bytes.']);
});

test('the chunk of the longest rows fits a document, and so do the errors of a job', async () => {
  const wide = '\u6625';
  const long = {
    destination_url: `https://example.com/${wide.repeat(600)}`,
    title: wide.repeat(255),
    campaign_tag: wide.repeat(100),
    utm_defaults: { utm_source: wide.repeat(255), utm_content: wide.repeat(255) },
  };
  const bad = { title: 1, short_code: '/', campaign_tag: 1, status: 1, folder_id: 1, domain_id: 1, utm_defaults: 1, tag_ids: 1, utm_template_id: 1, destination_url: 1 }; // prettier-ignore
  const links = [...Array.from({ length: 100 }, () => long), ...Array.from({ length: 900 }, () => bad)];
  const { id } = await stack.import({ links }, { workspace: 'long' });
  const job = (await stack.database.collection<{ _id: string; rowErrors: [] }>('imports').findOne({ _id: id }))!;
  expect([job.rowErrors.length, Buffer.byteLength(JSON.stringify(job)) < 0.7 * MB]).toEqual([1000, true]);
});

test('an import that is sent again with its key leaves no rows behind', async () => {
  const options = { workspace: 'keyed', headers: { 'idempotency-key': 'k-1' } };
  const answers = await Promise.all([1, 2, 3].map(() => stack.send({ links: rowsOf(150) }, options)));
  const taken = answers.filter(({ status }) => status === 202);
  expect(new Set(taken.map(({ body }) => body.data.id)).size).toBe(1);
  await stack.ended(taken[0]!.body.data.id, { workspace: 'keyed' });
  expect(await stack.links('keyed')).toHaveLength(100);
  await noRowsAreLeft();
});

test('of finished imports a workspace keeps the newest 200', async () => {
  const workspace = 'kept';
  const { id } = await stack.import({ links: [ROW] }, { workspace });
  const imports = stack.database.collection<{ _id: string }>('imports');
  const { _id, ...pattern } = (await imports.findOne({ _id: id }))!;
  const old = Array.from({ length: 210 }, (_, index) => ({
    ...pattern,
    _id: `imp_old${index}`,
    finishedAt: new Date(Date.now() - 3_600_000 + index),
  }));
  await imports.insertMany(old);
  const last = await stack.import({ links: [ROW] }, { workspace });
  await waitFor('the oldest to be removed', async () => (await imports.countDocuments({ workspace })) === 200);
  expect(await imports.countDocuments({ _id: { $in: [id, last.id] as string[] } })).toBe(2);
});

test('a dry run tells that a row repeats an earlier one with other letters, also of a link with former codes', async () => {
  const workspace = 'repeats';
  const { id } = await stack.link({ short_code: 'former' }, workspace);
  await stack.call('PATCH', `/links/${id}`, { short_code: 'current' }, { workspace });
  const row = { destination_url: 'https://example.com/b', short_code: 'current' };
  const links = [row, ...rowsOf(150, () => ({})), { ...row, short_code: 'CURRENT' }];
  for (const dry_run of [true, false]) {
    const job = await stack.import({ links, options: { dry_run, on_duplicate: 'update' } }, { workspace });
    expect(job).toMatchObject({ created_count: 150, updated_count: 1, unchanged_count: 1, failed_count: 0 });
  }
});

test('a dry run tells of rows that meet far apart, and of the plan', async () => {
  const access = { plan: { name: 'free' as const, activeLinks: 240, customDomains: null, entitlements: [] } };
  const links = rowsOf(260, (index) => (index % 120 === 7 ? { short_code: index < 100 ? 'Far' : 'fAR' } : {}));
  for (const dry_run of [true, false]) {
    const options = { workspace: 'apart', access };
    const job = await stack.import({ links, options: { dry_run, on_duplicate: 'fail' } }, options);
    expect(job).toMatchObject({ processed_rows: 260, created_count: 240, failed_count: 20 });
    expect(job.errors.filter(({ code }: { code: string }) => code === 'duplicate')).toHaveLength(2);
  }
});
