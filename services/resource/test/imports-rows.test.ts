import { LENIENT, type CallOptions } from '@waymark/testing/service-caller';
import { ImportStack, rowsOf } from './import-stack.js';

let stack: ImportStack;
beforeAll(async () => (stack = await ImportStack.start()));
afterAll(() => stack.stop());

const urlTo = (path: string) => `https://example.com/${path}`;
const inPlan = (workspace: string, activeLinks: number): CallOptions => ({
  workspace,
  access: { plan: { name: 'free', activeLinks, customDomains: 1, entitlements: [] } },
});

describe('a row', () => {
  test('becomes the link that a single create would have made of it', async () => {
    const fields = {
      destination_url: urlTo('full'),
      title: '=HYPERLINK("https://evil.example","click")',
      short_code: 'Full',
      campaign_tag: 'spring-26',
      query_policy: 'override',
      utm_defaults: { utm_source: 'a', utm_medium: null },
      status: 'archived',
    };
    await stack.import({ links: [fields] }, { workspace: 'full' });
    const [imported] = await stack.links('full');
    const single = await stack.link({ ...fields, short_code: 'Other' }, 'full-2');
    const shape = { id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) };
    const other = { short_code: 'Full', short_url: 'http://go.test/Full', archived_at: expect.any(String) };
    expect(imported).toEqual({ ...single, ...shape, ...other });
  });

  test('that is wrong is an error of its own, with every problem by field, and the others are done', async () => {
    const links = [
      { destination_url: urlTo('1') },
      { destination_url: 'javascript:alert(1)', title: 7, status: 'paused' },
      'no object',
      null,
      [1],
      { title: 'no destination' },
      { destination_url: 'http://go.test/own' },
      { destination_url: urlTo('8'), short_code: 'no spaces' },
      { destination_url: urlTo('9'), short_code: 'api' },
      { destination_url: urlTo('10') },
    ];
    const job = await stack.import({ links }, { workspace: 'wrong' });
    expect(job).toMatchObject({
      status: 'completed_with_errors',
      created_count: 2,
      failed_count: 8,
      processed_rows: 10,
    });
    expect(job.errors.map(({ row, field }: { row: number; field: string }) => `${row} ${field}`).sort()).toEqual(
      ['2 destination_url', '2 status', '2 title', '3 null', '4 null', '5 null', '6 destination_url'].concat([
        '7 destination_url',
        '8 short_code',
        '9 short_code',
      ]),
    );
    expect(job.errors.every(({ code }: { code: string }) => code === 'validation_failed')).toBe(true);
    expect(job.errors.every(({ message }: { message: string }) => message.length > 10)).toBe(true);
    expect((await stack.links('wrong')).map((link) => link.destination_url)).toEqual([urlTo('10'), urlTo('1')]);
  });

  test('with unknown keys stores none of them, and changes no prototype', async () => {
    const row = `{"destination_url":"${urlTo('p')}","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"$where":"1","a.b":1,"scans_count":7,"id":"lnk_mine"}`;
    const sent = await stack.caller.raw('POST', '/links/import', {
      workspace: 'proto',
      body: `{"links":[${row}]}`,
      headers: { 'content-type': 'application/json', ...LENIENT },
    });
    await stack.ended(sent.body.data.id, { workspace: 'proto' });
    const [link] = await stack.links('proto');
    expect(link).toMatchObject({ scans_count: 0, destination_url: urlTo('p') });
    expect(link.id).not.toBe('lnk_mine');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('with many problems lists the first ones, and the number of the others', async () => {
    const job = await stack.import({ links: [{ destination_url: urlTo('t'), tag_ids: Array(50).fill(1) }] });
    expect(job.failed_count).toBe(1);
    expect(job.errors).toHaveLength(10);
    expect(job.errors[9]).toMatchObject({
      field: null,
      message: expect.stringMatching(/^There are \d+ more problems\.$/),
    });
  });
});

test('of many errors the first 1,000 are kept, and all are counted', async () => {
  const links = rowsOf(1700, (index) => (index < 200 ? {} : { status: 'paused' }));
  const job = await stack.import({ links }, { workspace: 'errors' });
  expect(job).toMatchObject({ status: 'completed_with_errors', created_count: 200, failed_count: 1500 });
  expect(job.errors).toHaveLength(1000);
  expect([job.errors[0].row, job.errors[999].row]).toEqual([201, 1200]);
});

describe('a CSV', () => {
  const links = async (csv: string, workspace: string) => {
    const job = await stack.import({ csv }, { workspace });
    return { job, links: (await stack.links(workspace)).reverse() };
  };

  test('fills every field; empty cells are absent, formulas are data', async () => {
    const csv = [
      '\ufeffdestination_url,short_code,title,campaign_tag,query_policy,status,utm_source,utm_medium,utm_campaign,utm_term,utm_content',
      `${urlTo('a')},Aa,"=1+1, ""quoted"" and more",tag,Drop,archived,s,m,c,t,u`,
      '',
      `"${urlTo('b')}",,@SUM(A1),,,,,,,,`,
      '',
    ].join('\r\n');
    const { job, links: made } = await links(csv, 'csv-fields');
    expect(job).toMatchObject({ status: 'completed', total_rows: 2, created_count: 2 });
    expect(made[0]).toMatchObject({
      destination_url: urlTo('a'),
      short_code: 'Aa',
      title: '=1+1, "quoted" and more',
      campaign_tag: 'tag',
      query_policy: 'drop',
      status: 'archived',
      utm_defaults: { utm_source: 's', utm_medium: 'm', utm_campaign: 'c', utm_term: 't', utm_content: 'u' },
    });
    expect(made[1]).toMatchObject({
      title: '@SUM(A1)',
      campaign_tag: null,
      query_policy: 'append',
      status: 'active',
      utm_defaults: { utm_source: null },
    });
  });

  test('says when and how a link redirects, in numbers and truths as spreadsheets write them', async () => {
    const columns =
      'destination_url,starts_at,expires_at,expired_url,max_scans,redirect_status,forward_path,availability';
    const rows = [
      `${urlTo('a')},2030-01-01T09:00:00+01:00,2031-01-01T00:00:00Z,${urlTo('over')},500,301,TRUE,expired`,
      `${urlTo('b')},,,,,,FALSCH,`,
      `${urlTo('c')},soon,,,many,303,yes,`,
      `${urlTo('d')},2031-01-01T00:00:00Z,2030-01-01T00:00:00Z,,,,,`,
    ];
    const { job, links: made } = await links([columns, ...rows].join('\n'), 'csv-when');
    expect(made[0]).toMatchObject({
      starts_at: '2030-01-01T08:00:00.000Z',
      expires_at: '2031-01-01T00:00:00.000Z',
      expired_url: urlTo('over'),
      max_scans: 500,
      redirect_status: 301,
      forward_path: true,
      availability: 'scheduled',
    });
    expect(made[1]).toMatchObject({ starts_at: null, max_scans: null, redirect_status: 302, forward_path: false });
    expect(job.errors.map(({ row, field }: { row: number; field: string }) => `${row} ${field}`)).toEqual([
      '3 starts_at',
      '3 max_scans',
      '3 redirect_status',
      '3 forward_path',
      '4 expires_at',
    ]);
  });

  test('with characters of several bytes everywhere loses none of them', async () => {
    const title = '🦊ü'.repeat(30);
    const csv = `title,destination_url\n${`${title},https://example.com\n`.repeat(1500)}`;
    const { job } = await links(csv, 'csv-wide');
    expect(job).toMatchObject({ status: 'completed', created_count: 1500 });
    const titles = await stack.database.collection('links').distinct('title', { workspace: 'csv-wide' });
    expect(titles).toEqual([title]);
  });

  test('with NUL, a cell of 1 MB and rubbish has errors of those rows alone', async () => {
    const rows = [
      `${urlTo('1')},a\u0000b`,
      'https://example.com/\u0000,c',
      `${urlTo('3')},${'x'.repeat(1_000_000)}`,
      ',d',
      `${urlTo('5')},e`,
    ];
    const { job, links: made } = await links(`destination_url,title\n${rows.join('\n')}`, 'csv-hostile');
    expect(job).toMatchObject({ total_rows: 5, created_count: 1, failed_count: 4 });
    expect(job.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [1, 'title'],
      [2, 'destination_url'],
      [3, null],
      [4, 'destination_url'],
    ]);
    expect(made.map(({ title }) => title)).toEqual(['e']);
  });
});

test('the texts of a row are trimmed, and refused, as those of a single create are', async () => {
  const csv = [
    'destination_url,title,campaign_tag,utm_source',
    `${urlTo('a')}, T ,"  ",\t`,
    `${urlTo('b')},a\u0000b,all,a\u202eb`,
  ].join('\n');
  const job = await stack.import({ csv }, { workspace: 'texts' });
  expect(job.errors.map(({ row, field }: { row: number; field: string }) => [row, field]).sort()).toEqual([
    [2, 'campaign_tag'],
    [2, 'title'],
    [2, 'utm_defaults.utm_source'],
  ]);
  expect(await stack.links('texts')).toMatchObject([
    { title: 'T', campaign_tag: null, utm_defaults: { utm_source: null } },
  ]);
});

describe('a duplicate', () => {
  const rows = [
    { destination_url: urlTo('new'), short_code: 'NEW', title: 'new' },
    { destination_url: urlTo('changed'), short_code: 'KNOWN', title: 'changed' },
    { destination_url: urlTo('again'), short_code: 'new', title: 'again' },
    { destination_url: urlTo('other') },
    { destination_url: urlTo('other') },
  ];
  const run = async (on_duplicate: string | undefined, workspace: string) => {
    const known = await stack.link({ short_code: `Known`, title: 'known' }, workspace);
    const job = await stack.import({ links: rows, ...(on_duplicate && { options: { on_duplicate } }) }, { workspace });
    const byCode = new Map((await stack.links(workspace)).map((link) => [link.short_code.toLowerCase(), link]));
    return { job, known, byCode };
  };

  test('fails by default, of a link that was there and of an earlier row', async () => {
    const { job, known, byCode } = await run(undefined, 'dup-fail');
    expect(job).toMatchObject({ created_count: 3, failed_count: 2, status: 'completed_with_errors' });
    expect(job.errors).toEqual(
      [2, 3].map((row) => ({
        row,
        field: 'short_code',
        code: 'duplicate',
        problem_code: 'taken',
        message: 'The short_code is already taken.',
      })),
    );
    expect(byCode.get('known')).toEqual(known);
    expect(byCode.get('new').title).toBe('new');
    for (const code of ['known', 'new'])
      await stack.call('DELETE', `/links/${byCode.get(code).id}`, undefined, { workspace: 'dup-fail' });
  });

  test('is left as it is with skip', async () => {
    const { job, known, byCode } = await run('skip', 'dup-fail');
    expect(job).toMatchObject({ created_count: 3, skipped_count: 2, failed_count: 0, status: 'completed', errors: [] });
    expect(byCode.get('known')).toEqual(known);
    for (const code of ['known', 'new'])
      await stack.call('DELETE', `/links/${byCode.get(code).id}`, undefined, { workspace: 'dup-fail' });
  });

  test('is changed with update, and keeps what the row does not name', async () => {
    const { job, known, byCode } = await run('update', 'dup-fail');
    expect(job).toMatchObject({ created_count: 3, updated_count: 2, status: 'completed' });
    expect(byCode.get('known')).toEqual({
      ...known,
      title: 'changed',
      destination_url: urlTo('changed'),
      updated_at: expect.any(String),
    });
    expect(byCode.get('new')).toMatchObject({ title: 'again', destination_url: urlTo('again'), short_code: 'NEW' });
    const again = await stack.import(
      { links: rows.slice(1, 2), options: { on_duplicate: 'update' } },
      { workspace: 'dup-fail' },
    );
    expect([again.updated_count, again.unchanged_count]).toEqual([0, 1]);
    const updates = (await stack.emitted('dup-fail')).filter(({ type }) => type === 'link.updated');
    expect(updates.map(({ data }) => data.link.title)).toEqual(['changed', 'again']);
  });

  test.each(['fail', 'skip', 'update'])(
    'of another workspace is nothing to %s: the code is taken',
    async (on_duplicate) => {
      const code = `theirs-${on_duplicate}`;
      const theirs = await stack.link({ short_code: code }, 'dup-theirs');
      const links = [
        { destination_url: urlTo('mine'), short_code: code.toUpperCase() },
        { destination_url: urlTo('fine') },
      ];
      const job = await stack.import({ links, options: { on_duplicate } }, { workspace: 'dup-mine' });
      expect(job).toMatchObject({ created_count: 1, failed_count: 1, skipped_count: 0, updated_count: 0 });
      expect(job.errors).toMatchObject([{ row: 1, field: 'short_code', code: 'validation_failed' }]);
      expect((await stack.links('dup-theirs')).find(({ id }) => id === theirs.id)).toEqual(theirs);
    },
  );

  test('is only one on the same domain; elsewhere in the workspace the code is taken', async () => {
    const domain = {
      _id: 'dom_dup',
      workspace: 'dup-domain',
      hostname: 'go.dup.example',
      status: 'verified',
      revision: 1,
      linksCount: 0,
    };
    await stack.database.collection<{ _id: string }>('domains').insertOne(domain);
    await stack.link({ short_code: 'here', domain_id: 'dom_dup' }, 'dup-domain');
    const links = [
      { destination_url: urlTo('1'), short_code: 'here' },
      { destination_url: urlTo('2'), short_code: 'here', domain_id: 'dom_dup', title: 'second' },
      { destination_url: urlTo('3'), short_code: 'there', domain_id: 'dom_dup' },
    ];
    const job = await stack.import({ links, options: { on_duplicate: 'update' } }, { workspace: 'dup-domain' });
    expect(job).toMatchObject({ created_count: 1, updated_count: 1, failed_count: 1 });
    expect(job.errors).toMatchObject([{ row: 1, field: 'short_code', code: 'validation_failed' }]);
    const urls = (await stack.links('dup-domain')).map(({ short_url }) => short_url).sort();
    expect(urls).toEqual(['https://go.dup.example/here', 'https://go.dup.example/there']);
  });

  test('of a deleted link of the workspace is none', async () => {
    const { id } = await stack.link({ short_code: 'was-here' }, 'dup-deleted');
    await stack.call('DELETE', `/links/${id}`, undefined, { workspace: 'dup-deleted' });
    const job = await stack.import(
      { links: [{ destination_url: urlTo('1'), short_code: 'WAS-here' }] },
      { workspace: 'dup-deleted' },
    );
    expect(job).toMatchObject({ status: 'completed', created_count: 1 });
  });

  test.each(['fail', 'skip', 'update'])(
    'of a code that another link had before is nothing to %s, not even in a dry run',
    async (on_duplicate) => {
      const workspace = `dup-former-${on_duplicate}`;
      const link = await stack.link({ short_code: `was-${on_duplicate}` }, workspace);
      await stack.call('PATCH', `/links/${link.id}`, { short_code: `is-${on_duplicate}` }, { workspace });
      const links = [...rowsOf(3), { destination_url: urlTo('x'), short_code: `WAS-${on_duplicate}` }, ...rowsOf(2)];
      for (const dry_run of [true, false]) {
        const job = await stack.import({ links, options: { on_duplicate, dry_run } }, { workspace });
        expect(job).toMatchObject({ created_count: 5, updated_count: 0, failed_count: 1 });
        const message = 'The short_code is an earlier code of another link.';
        const problem = { field: 'short_code', code: 'validation_failed', problem_code: 'taken_before', message };
        expect(job.errors).toEqual([{ row: 4, ...problem }]);
      }
    },
  );

  test('two thousand times in one import is created once', async () => {
    const links = rowsOf(2000, () => ({ short_code: 'the-same' }));
    const job = await stack.import({ links, options: { on_duplicate: 'skip' } }, { workspace: 'dup-many' });
    expect(job).toMatchObject({ created_count: 1, skipped_count: 1999, status: 'completed' });
  });
});

describe('the quota', () => {
  test('fails the rows past it, and the earlier ones stay', async () => {
    await stack.link({}, 'quota');
    const links = rowsOf(6, (index) => (index === 2 ? { status: 'archived' } : {}));
    const job = await stack.import({ links }, inPlan('quota', 4));
    expect(job).toMatchObject({ created_count: 4, failed_count: 2, status: 'completed_with_errors' });
    const message = 'The limit of this workspace is 4 active links.';
    const single = await stack.call('POST', '/links', { destination_url: urlTo('x') }, inPlan('quota', 4));
    const { code, details, problems } = single.body.error;
    expect([single.status, details.reason, details.quota]).toEqual([422, 'quota_exceeded', [message]]);
    const { code: problem_code, ...problem } = problems[0];
    expect(problem_code).toBe('quota_exceeded');
    expect(single.body.error.message).toBe(message);
    expect(job.errors).toEqual([5, 6].map((row) => ({ row, ...problem, code, problem_code, details })));
  });

  test('counts a reactivation, and a row that archives makes room for those after it', async () => {
    await stack.link({ short_code: 'q-active' }, 'quota-update');
    await stack.link({ short_code: 'q-archived', status: 'archived' }, 'quota-update');
    const row = (short_code: string, status: string) => ({ destination_url: urlTo(short_code), short_code, status });
    const links = [
      row('q-archived', 'active'),
      row('q-active', 'archived'),
      row('q-archived', 'active'),
      row('q-new', 'active'),
    ];
    const job = await stack.import({ links, options: { on_duplicate: 'update' } }, inPlan('quota-update', 1));
    expect(job).toMatchObject({ updated_count: 2, created_count: 0, failed_count: 2 });
    expect(job.errors.map(({ row: at, field }: { row: number; field: string }) => [at, field])).toEqual([
      [1, 'quota'],
      [4, 'quota'],
    ]);
    const events = (await stack.emitted('quota-update')).map(({ type }) => type).slice(2);
    expect(events).toEqual(['link.import_started', 'link.archived', 'link.reactivated', 'link.import_completed']);
  });

  test('is exact while imports and single creates go on at the same time', async () => {
    const options = inPlan('quota-race', 60);
    const jobs = await Promise.all([1, 2, 3].map(() => stack.send({ links: rowsOf(40) }, options)));
    const singles = await Promise.all(rowsOf(10).map((body) => stack.call('POST', '/links', body, options)));
    for (const { body } of jobs) await stack.ended(body.data.id, { workspace: 'quota-race' });
    const active = await stack.database
      .collection('links')
      .countDocuments({ workspace: 'quota-race', status: 'active' });
    const made = singles.filter(({ status }) => status === 201).length;
    expect(active).toBe(60);
    expect(singles.every(({ status }) => [201, 422, 503].includes(status))).toBe(true);
    const counter = await stack.database
      .collection<{ _id: string }>('quotas')
      .findOne({ _id: 'quota-race/active_links' });
    expect(counter).toMatchObject({ used: 60 });
    expect(made).toBeLessThanOrEqual(10);
  });
});

describe('what a row refers to', () => {
  const make = async (kind: string, body: object, workspace: string) =>
    (await stack.call('POST', `/${kind}`, body, { workspace })).body.data.id as string;

  test('is counted, its template is applied under the row, and what is not there is an error on its field', async () => {
    const workspace = 'refs';
    const [folder, tag, template, theirs] = [
      await make('folders', { name: 'F' }, workspace),
      await make('tags', { name: 'T' }, workspace),
      await make('utm-templates', { name: 'U', utm_source: 'template', utm_medium: 'template' }, workspace),
      await make('folders', { name: 'F' }, 'refs-2'),
    ];
    const links = [
      {
        destination_url: urlTo('1'),
        folder_id: folder,
        tag_ids: [tag],
        utm_template_id: template,
        utm_defaults: { utm_source: 'row' },
      },
      { destination_url: urlTo('2'), folder_id: folder },
      { destination_url: urlTo('3'), folder_id: theirs },
      { destination_url: urlTo('4'), tag_ids: [tag, 'tag_none'] },
      { destination_url: urlTo('5'), utm_template_id: 'utm_none' },
    ];
    const job = await stack.import({ links }, { workspace });
    expect(job).toMatchObject({ created_count: 2, failed_count: 3 });
    expect(job.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [3, 'folder_id'],
      [4, 'tag_ids'],
      [5, 'utm_template_id'],
    ]);
    const first = (await stack.links(workspace)).find((link) => link.destination_url === urlTo('1'));
    expect(first).toMatchObject({
      folder_id: folder,
      tags: [{ id: tag, name: 'T' }],
      utm_defaults: { utm_source: 'row', utm_medium: 'template' },
    });
    const counts = await Promise.all(
      [`/folders/${folder}`, `/tags/${tag}`].map((path) => stack.call('GET', path, undefined, { workspace })),
    );
    expect(counts.map(({ body }) => body.data.links_count)).toEqual([2, 1]);
  });

  test('is named in a CSV by its id, tags with semicolons between', async () => {
    const workspace = 'refs-csv';
    const tags = [await make('tags', { name: 'a' }, workspace), await make('tags', { name: 'b' }, workspace)];
    const csv = `destination_url,tag_ids\n${urlTo('1')},${tags.join(' ; ')}`;
    expect(await stack.import({ csv }, { workspace })).toMatchObject({ created_count: 1 });
    expect((await stack.links(workspace))[0].tags.map(({ id }: { id: string }) => id)).toEqual(tags);
  });

  test('may be a domain that serves, and none that is gone', async () => {
    const domain = (id: string, hostname: string, status: string) => ({
      _id: id,
      workspace: 'refs-domain',
      hostname,
      status,
      revision: 1,
      linksCount: 0,
    });
    const domains = stack.database.collection<{ _id: string; linksCount: number }>('domains');
    await domains.insertMany([
      domain('dom_ok', 'go.refs.example', 'verified'),
      domain('dom_gone', 'x.refs.example', 'deleted'),
    ]);
    const links = [
      { destination_url: urlTo('1'), domain_id: 'dom_ok' },
      { destination_url: urlTo('2'), domain_id: 'dom_gone' },
      { destination_url: 'https://go.refs.example/loop' },
    ];
    const job = await stack.import({ links }, { workspace: 'refs-domain' });
    expect(job).toMatchObject({ created_count: 1, failed_count: 2 });
    expect(job.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
      [2, 'domain_id'],
      [3, 'destination_url'],
    ]);
    expect((await domains.findOne({ _id: 'dom_ok' }))!.linksCount).toBe(1);
  });
});

test('a dry run tells what would become of every row, and changes nothing', async () => {
  const workspace = 'dry';
  const known = await stack.link({ short_code: 'dry-known' }, workspace);
  const links = [
    ...rowsOf(600, (index) => ({ short_code: `dry-${index}` })),
    { destination_url: urlTo('again'), short_code: 'dry-7' },
    { destination_url: urlTo('known'), short_code: 'dry-known', title: 'never' },
    { destination_url: 'nowhere' },
    ...rowsOf(3),
  ];
  const options = { on_duplicate: 'update', dry_run: true };
  const job = await stack.import({ links, options }, inPlan(workspace, 602));
  expect(job).toMatchObject({
    status: 'completed_with_errors',
    created_count: 601,
    updated_count: 2,
    failed_count: 3,
    processed_rows: 606,
  });
  expect(job.errors.map(({ row, field }: { row: number; field: string }) => [row, field])).toEqual([
    [603, 'destination_url'],
    [605, 'quota'],
    [606, 'quota'],
  ]);
  expect(await stack.links(workspace)).toEqual([known]);
  const types = (await stack.emitted(workspace)).map(({ type }) => type);
  expect(types).toEqual(['link.created', 'link.import_started', 'link.import_completed']);
  const completed = (await stack.emitted(workspace)).at(-1);
  expect(completed.audit.changes.dry_run).toEqual({ from: null, to: true });
  expect(completed.data.import.options).toEqual(options);
  const codes = await stack.database.collection('codes').countDocuments({ workspace });
  expect(codes).toBe(1);
});

describe('the events of an import', () => {
  test('are those of single creates, by the caller, between its start and its end', async () => {
    const workspace = 'events';
    const actor = { type: 'token', id: 'usr_9', name: 'Bot', email: 'bot@example.com', token_id: 'tok_9' } as const;
    const job = await stack.import(
      { links: rowsOf(2, (index) => ({ short_code: `ev-${index}` })) },
      { workspace, actor },
    );
    await stack.call('POST', '/links', rowsOf(1, () => ({ short_code: 'ev-single' }))[0], { workspace, actor });
    const [started, first, second, completed, single] = await stack.emitted(workspace);
    expect(started).toMatchObject({
      type: 'link.import_started',
      actor,
      ip_address: '127.0.0.1',
      audit: {
        target: { type: 'import', id: job.id, label: null },
        changes: {
          total_rows: { from: null, to: 2 },
          on_duplicate: { from: null, to: 'fail' },
          dry_run: { from: null, to: false },
        },
      },
      data: { import: { id: job.id, total_rows: 2 } },
    });
    expect(completed).toMatchObject({
      type: 'link.import_completed',
      actor,
      request_id: started.request_id,
      audit: {
        target: { id: job.id },
        changes: {
          status: { from: null, to: 'completed' },
          created_count: { from: null, to: 2 },
          on_duplicate: { from: null, to: 'fail' },
          dry_run: { from: null, to: false },
        },
      },
      data: { import: { id: job.id, status: 'completed', total_rows: 2, created_count: 2, failed_count: 0 } },
    });
    expect(completed.data.import.options).toEqual(job.options);
    for (const [index, event] of [first, second].entries()) {
      expect(event).toMatchObject({
        type: 'link.created',
        actor,
        request_id: started.request_id,
        ip_address: '127.0.0.1',
      });
      expect(Object.keys(event)).toEqual(Object.keys(single));
      expect(Object.keys(event.data.link)).toEqual(Object.keys(single.data.link));
      expect(Object.keys(event.audit.changes)).toEqual(Object.keys(single.audit.changes));
      expect(event.data.link).toMatchObject({ short_code: `ev-${index}`, revision: 1 });
    }
  });
});
