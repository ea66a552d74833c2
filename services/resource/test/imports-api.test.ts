import { z } from 'zod';
import { linkImport } from '@waymark/contract/imports';
import { EVERY_ROLE } from '@waymark/contract/roles';
import { ROUTES } from '@waymark/contract/routes';
import { LENIENT, type CallOptions } from '@waymark/testing/service-caller';
import { ImportStack, rowsOf } from './import-stack.js';

let stack: ImportStack;
beforeAll(async () => (stack = await ImportStack.start()));
afterAll(() => stack.stop());

const ROW = { destination_url: 'https://example.com' };

describe('sending an import', () => {
  test.each([
    ['v1', false, '/api/v1'],
    ['the older prefix', true, '/api'],
  ])('below %s answers 202 with the queued job and where to ask for it', async (_what, unversioned, prefix) => {
    const { status, headers, body } = await stack.send({ links: [ROW, ROW] }, { unversioned });
    expect(status).toBe(202);
    expect(z.object({ data: linkImport.strict() }).safeParse(body).error).toBeUndefined();
    expect(body.data).toMatchObject({
      id: expect.stringMatching(/^imp_/),
      status: 'queued',
      options: { on_duplicate: 'fail', dry_run: false },
      total_rows: 2,
      processed_rows: 0,
      errors: [],
      started_at: null,
      finished_at: null,
    });
    const location = `http://api.test${prefix}/workspaces/acme/links/imports/${body.data.id}`;
    expect(headers.get('location')).toBe(location);
    const shown = await stack.call('GET', `/links/imports/${body.data.id}`, undefined, { unversioned });
    expect([shown.status, shown.body.data.id]).toEqual([200, body.data.id]);
    expect(await stack.ended(body.data.id)).toMatchObject({
      status: 'completed',
      processed_rows: 2,
      created_count: 2,
      started_at: expect.any(String),
    });
  });

  test.each([
    ['nothing', {}, ['links']],
    ['both links and csv', { links: [ROW], csv: 'destination_url\nhttps://example.com' }, ['links']],
    ['links that are no list', { links: { 0: ROW } }, ['links']],
    ['no rows', { links: [] }, ['links']],
    ['10,001 rows', { links: rowsOf(10_001) }, ['links']],
    ['10,001 lines', { csv: `destination_url\n${'https://example.com\n'.repeat(10_001)}` }, ['csv']],
    ['csv that is no text', { csv: 7 }, ['csv']],
    ['an empty csv', { csv: '' }, ['csv']],
    ['columns without rows', { csv: 'destination_url\n' }, ['csv']],
    ['options that are no object', { links: [ROW], options: 'skip' }, ['options']],
    ['an unknown on_duplicate', { links: [ROW], options: { on_duplicate: 'merge' } }, ['options.on_duplicate']],
    ['a dry_run that is text', { links: [ROW], options: { dry_run: 'yes' } }, ['options.dry_run']],
    [
      'several wrong fields, all at once',
      { links: [], csv: 7, options: { on_duplicate: 1, dry_run: 1 } },
      ['csv', 'links', 'options.dry_run', 'options.on_duplicate'],
    ],
    ['csv with half a character', { csv: 'destination_url\nhttps://example.com/\ud800' }, ['csv']],
    ['a list as the body', [ROW], ['body']],
  ])('with %s answers 422 by field', async (_what, body, fields) => {
    const answer = await stack.send(body);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed']);
    expect(Object.keys(answer.body.error.details).sort()).toEqual(fields);
  });

  test.each([
    ['without destination_url', 'title\nx', ['The column destination_url is missing.']],
    ['with a column twice', 'destination_url,title,title\nx,y,z', ['The column title is repeated.']],
    ['with unknown columns', 'destination_url,__proto__,link\nx,y,z', ['"__proto__"', '"link"']],
    ['with a long column', `destination_url,${'x'.repeat(60_000)}\ny,z`, [`"${'x'.repeat(40)}"`]],
    ['with a huge column', `destination_url,${'x'.repeat(1_000_000)}\ny,z`, ['Line 1 has more than 65536 characters']],
    ['with a huge line', `destination_url\n\n"${'x\n'.repeat(1_200_000)}"`, ['has more than 2097152 bytes']],
    [
      'with a million columns',
      `destination_url${',a'.repeat(1_000_000)}\nx`,
      ['Line 1 has more than 65536 characters'],
    ],
    ['with a hundred columns behind sep=', `sep=;\rtitle${';'.repeat(100)}\rx`, ['Line 2 has more than 100 cells']],
    ['with content below no name', 'destination_url,,title,\nx,,y,z', ['The 4th column has no name.']],
    ['with a column twice in other letters', 'destination_url,Title,TITLE\nx,y,z', ['The column title is repeated.']],
    ['with an open quote', 'destination_url\n"https://a.b', ['opened in line 2']],
    ['with a quote within a cell', 'destination_url\nhttps://"a".b', ['Line 2']],
  ])('of a CSV %s answers 422, and says where', async (_what, csv, parts) => {
    const { status, body } = await stack.send({ csv });
    expect([status, Object.keys(body.error.details)]).toEqual([422, ['csv']]);
    const message = body.error.details.csv.join('\n');
    for (const part of parts) expect(message).toContain(part);
    expect(message.length).toBeLessThan(1000);
  });

  test('of a CSV whose columns are written in other letters, with spaces around them, is taken', async () => {
    const csv = 'Destination_URL , TITLE\nhttps://example.com,x';
    expect(await stack.import({ csv }, { workspace: 'columns' })).toMatchObject({ created_count: 1, failed_count: 0 });
    expect((await stack.links('columns'))[0]).toMatchObject({ title: 'x' });
  });

  const HEAD = 'destination_url,short_code,title';
  test.each([
    ['lines without content', `${HEAD}\nhttps://e.example/1,$1,A\n,,\n , , \n   \n\n,,\nhttps://e.example/2,$2,B\n`],
    ['a column without name and content', `${HEAD},\nhttps://e.example/1,$1,A,\nhttps://e.example/2,$2,B\n`],
    ['empty cells beyond the columns', `${HEAD}\nhttps://e.example/1,$1,A,\nhttps://e.example/2,$2,B,,\n`],
    ['mixed line ends', `${HEAD}\r\nhttps://e.example/1,$1,A\nhttps://e.example/2,$2,B\r`],
    ['the line ends of old spreadsheets', `${HEAD}\rhttps://e.example/1,$1,A\rhttps://e.example/2,$2,B`],
    ['a separator that is told', `sep=,\r\n${HEAD}\nhttps://e.example/1,$1,A\nhttps://e.example/2,$2,B\n`],
    ['semicolons', `${HEAD.replaceAll(',', ';')}\nhttps://e.example/1;$1;A\nhttps://e.example/2;$2;B\n`],
    [
      'semicolons and quotes',
      '"destination_url";"short_code";"title"\n"https://e.example/1";"$1";"A"\nhttps://e.example/2;$2;B',
    ],
    [
      'semicolons that are told',
      `\ufeffsep=;\r\n${HEAD.replaceAll(',', ';')}\r\nhttps://e.example/1;$1;A\r\nhttps://e.example/2;$2;B`,
    ],
    ['tabs', `${HEAD.replaceAll(',', '\t')}\nhttps://e.example/1\t$1\tA\nhttps://e.example/2\t$2\tB\n`],
    [
      'two byte order marks',
      `\ufeff\ufeff"destination_url",short_code,title\nhttps://e.example/1,$1,A\nhttps://e.example/2,$2,B`,
    ],
  ])('of a CSV with %s is taken', async (what, csv) => {
    const prefix = what.replaceAll(' ', '-').slice(0, 20);
    const codes = csv.replaceAll(/\$(?=\d)/g, prefix);
    const job = await stack.import({ csv: codes }, { workspace: 'dialects' });
    expect(job).toMatchObject({ total_rows: 2, created_count: 2, errors: [] });
    const links = (await stack.links('dialects')).filter((link) => link.short_code.startsWith(prefix));
    expect(links.map((link) => [link.destination_url, link.title]).toSorted()).toEqual([
      ['https://e.example/1', 'A'],
      ['https://e.example/2', 'B'],
    ]);
  });

  test('of a CSV with a row of too few or too many cells fails these rows alone, and says in which line', async () => {
    const csv =
      'destination_url,title\r\nhttps://e.example/1,"a\r\nb"\nhttps://e.example/2\rhttps://e.example/3,c,d\n\nhttps://e.example/4,e\n';
    const { created_count: created, errors } = await stack.import({ csv }, { workspace: 'ragged' });
    expect([created, errors.map(({ row, field, message }: any) => [row, field, message])]).toEqual([
      1,
      [
        [1, 'title', 'The title must not contain control characters or invisible ones.'],
        [2, null, 'Line 4 ends before the column title.'],
        [3, null, 'Line 5 has 3 cells for 2 columns.'],
      ],
    ]);
    expect(errors.slice(1).map(({ problem_code: code, params }: any) => [code, params])).toEqual([
      ['csv_invalid', { line: 4 }],
      ['csv_invalid', { line: 5 }],
    ]);
  });

  test('of a CSV as spreadsheets write it is taken', async () => {
    const workspace = 'spreadsheet';
    const tag = (await stack.call('POST', '/tags', { name: 'T' }, { workspace })).body.data.id as string;
    const csv = [
      '\ufeffsep=,',
      'destination_url,short_code,status,tag_ids,title',
      `https://example.com , code-1 , Archived ,${tag} ; ,"a, b"`,
      'https://example.com/2,,, ; ,',
    ].join('\r\n');
    expect(await stack.import({ csv }, { workspace })).toMatchObject({ created_count: 2, errors: [] });
    expect(await stack.links(workspace)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ short_code: 'code-1', status: 'archived', title: 'a, b', tags: [expect.anything()] }),
        expect.objectContaining({ destination_url: 'https://example.com/2', status: 'active', tags: [] }),
      ]),
    );
  });

  test('with half a character in what is known of a row fails that row alone', async () => {
    const links = [ROW, { ...ROW, title: 'a\ud800' }, { ...ROW, bogus: '\ud800', more: [['\udc00']] }, '\ud800'];
    const { created_count, errors } = await stack.import({ links }, { headers: LENIENT });
    expect([created_count, errors]).toEqual([
      2,
      [
        expect.objectContaining({
          row: 2,
          field: 'title',
          message: 'The title must be well-formed Unicode, without unpaired surrogates.',
        }),
        expect.objectContaining({ row: 4, field: null }),
      ],
    ]);
  });

  test('with an unknown field in a row or in the options says which, and what was meant', async () => {
    const { created_count, errors } = await stack.import({ links: [ROW, { ...ROW, titel: 'x' }] });
    const message = 'There is no field "titel". Did you mean "title"?';
    const problem = { problem_code: 'unknown_field', params: { nearest: 'title' }, message };
    const error = { row: 2, field: 'titel', code: 'validation_failed', ...problem };
    expect([created_count, errors]).toEqual([1, [error]]);
    for (const [body, name] of [
      [{ links: [ROW], options: { dryrun: true } }, 'options.dryrun'],
      [{ links: [ROW], dry_run: true }, 'dry_run'],
    ] as const) {
      const { status, body: answer } = await stack.send(body);
      expect([status, Object.keys(answer.error.details)]).toEqual([422, [name]]);
      expect(answer.error.details[name][0]).toContain('Did you mean "options.dry_run"?');
    }
  });

  test('of a CSV with an unknown column names the nearest one, and is taken when the client prefers so', async () => {
    const csv = 'destination_url,titel\nhttps://example.com,x';
    for (const unversioned of [false, true]) {
      const { status, body } = await stack.send({ csv }, { unversioned });
      expect(status).toBe(422);
      expect(body.error.details.csv[0]).toBe('There is no column "titel". Did you mean "title"?');
      const job = await stack.import({ csv }, { unversioned, headers: LENIENT });
      expect(job).toMatchObject({ created_count: 1, failed_count: 0 });
    }
  });

  test('with null for what is absent is taken, as clients that are generated send it', async () => {
    for (const body of [
      { links: [ROW], csv: null, options: null },
      { links: [{ ...ROW, short_code: null, status: null }], options: { on_duplicate: null, dry_run: null } },
      { links: null, csv: 'destination_url\nhttps://example.com', options: null },
    ]) {
      expect(await stack.import(body)).toMatchObject({
        options: { on_duplicate: 'fail', dry_run: false },
        created_count: 1,
      });
    }
    expect(Object.keys((await stack.send({ links: null, csv: null })).body.error.details)).toEqual(['links']);
  });

  test('of more than 10 MB answers 413, of almost as much 202', async () => {
    const title = 'x'.repeat(1024 * 1024);
    const rows = (count: number) => ({ links: Array.from({ length: count }, () => ({ ...ROW, title })) });
    expect((await stack.send(rows(10))).status).toBe(413);
    const job = await stack.import(rows(9));
    expect(job).toMatchObject({ status: 'completed_with_errors', failed_count: 9, created_count: 0 });
    expect(job.errors[0]).toEqual({ row: 1, field: null, code: 'validation_failed', message: 'The row is too long.' });
  });

  test('that is no JSON, no UTF-8 or of another type is refused', async () => {
    const raw = (body: Buffer, type = 'application/json') =>
      stack.caller.raw('POST', '/links/import', { body, headers: { 'content-type': type } });
    expect((await raw(Buffer.from('{"csv":'))).status).toBe(400);
    const broken = Buffer.from('{"csv":"destination_url,title\\nhttps://example.com,caf\xe9"}', 'latin1');
    expect((await raw(broken)).status).toBe(400);
    expect((await raw(Buffer.from('destination_url\nhttps://a.b'), 'text/csv')).status).toBe(415);
  });

  test('without an identity answers 401', async () => {
    expect((await stack.send({ links: [ROW] }, { anonymous: true })).status).toBe(401);
    expect((await stack.call('GET', '/links/imports/imp_1', undefined, { anonymous: true })).status).toBe(401);
  });

  test.each(EVERY_ROLE)('as %s is let through as the contract says', async (role) => {
    const isEditor = ['owner', 'admin', 'editor'].includes(role);
    const { status, body } = await stack.send({ links: [ROW] }, { access: { role } });
    expect(status).toBe(isEditor ? 202 : 403);
    if (isEditor) await stack.ended(body.data.id);
  });

  test('with the read ability alone is 403; asking for a job takes no more than that', async () => {
    const readOnly: CallOptions = { access: { role: 'viewer', abilities: ['read'] } };
    expect((await stack.send({ links: [ROW] }, { access: { abilities: ['read'] } })).status).toBe(403);
    const { id } = await stack.import({ links: [ROW] });
    expect((await stack.call('GET', `/links/imports/${id}`, undefined, readOnly)).status).toBe(200);
  });

  test('to another workspace than the identity is for answers 403', async () => {
    expect((await stack.send({ links: [ROW] }, { access: { slug: 'globex' } })).status).toBe(403);
  });

  test('twice with one Idempotency-Key is one import', async () => {
    const headers = { 'idempotency-key': 'import-1' };
    const options = { workspace: 'once', headers };
    const first = await stack.send({ links: [ROW] }, options);
    const again = await stack.send({ links: [ROW] }, options);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect((await stack.send({ links: [ROW, ROW] }, options)).status).toBe(409);
    await stack.ended(first.body.data.id, { workspace: 'once' });
    expect(await stack.links('once')).toHaveLength(1);
  });
});

describe('asking for an import', () => {
  test('of another workspace, or with an id that nothing has, is 404', async () => {
    const { id } = await stack.import({ links: [ROW] });
    expect((await stack.call('GET', `/links/imports/${id}`, undefined, { workspace: 'globex' })).status).toBe(404);
    for (const unknown of ['imp_01', 'lnk_1', '$ne', '%00', 'x'.repeat(500)]) {
      expect((await stack.call('GET', `/links/imports/${unknown}`)).status).toBe(404);
    }
  });

  test('with other methods is 405, and so is reading where one is sent to', async () => {
    const answers = [await stack.call('DELETE', '/links/imports/imp_1'), await stack.call('GET', '/links/import')];
    expect(answers.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
      [405, 'GET, HEAD'],
      [405, 'POST'],
    ]);
  });
});

test('the routes belong to the links deployment alone', () => {
  expect([ROUTES['imports.create'].deployments, ROUTES['imports.show'].deployments]).toEqual([['links'], ['links']]);
});
