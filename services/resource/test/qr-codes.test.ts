import { item, paginated } from '@waymark/contract/common';
import { qrCode } from '@waymark/contract/qr-codes';
import { resolveCode } from '@waymark/contract/requests';
import { waitFor } from '@waymark/testing/wait-for';
import { readImageHeader } from '@waymark/contract/image-header';
import { LENIENT } from '@waymark/testing/service-caller';
import { CLEAR_LOGO, flatLogo, jpegWithHidden, JPEG_LOGO, noisyLogo, pngLogo, progressiveJpeg } from './logos.js';
import { Stack, refused } from './stack.js';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start('qr');
});
afterAll(() => stack.stop());

const STYLE = { foreground: '#000000', background: '#ffffff', error_correction: 'M', margin: 4, logo_url: null };
const post = (body: object, options = {}) =>
  stack.call('POST', '/qr-codes', { body: { destination_url: 'https://example.com/', ...body }, ...options });
const patch = (id: string, body: object, options = {}) => stack.call('PATCH', `/qr-codes/${id}`, { body, ...options });

test('is created, shown, listed, changed, archived, reactivated and deleted, with events and audit entries of its own', async () => {
  const created = await post({ title: 'Poster', campaign_tag: 'expo', utm_defaults: { utm_source: 'print' } });
  expect(created.status).toBe(201);
  expect(item(qrCode.strict()).parse(created.body)).toEqual(created.body);
  const { id, short_code } = created.body.data;
  expect(id).toMatch(/^qr_[0-9A-Z]{26}$/);
  expect(created.headers.get('location')).toBe(`https://api.test/api/v1/workspaces/acme/qr-codes/${id}`);
  expect(created.body.data).toMatchObject({ short_url: `https://go.test/${short_code}`, style: STYLE, scans_count: 0 });
  expect((await stack.call('GET', `/qr-codes/${id}`)).body).toEqual(created.body);
  const listed = await stack.call('GET', '/qr-codes');
  expect(paginated(qrCode.strict()).parse(listed.body).data).toEqual([created.body.data]);

  await patch(id, { title: 'New', style: { margin: 2 } });
  expect((await patch(id, { status: 'archived' })).body.data.archived_at).not.toBeNull();
  expect((await patch(id, { status: 'active' })).body.data.archived_at).toBeNull();
  expect((await stack.call('DELETE', `/qr-codes/${id}`)).status).toBe(204);
  await waitFor('the events', () => stack.toldOf(id as string).length === 5);
  expect(stack.toldOf(id as string).map(({ type, audit }) => [type, audit!.target!.type])).toEqual([
    ['qr_code.created', 'qr_code'],
    ['qr_code.updated', 'qr_code'],
    ['qr_code.archived', 'qr_code'],
    ['qr_code.reactivated', 'qr_code'],
    ['qr_code.deleted', 'qr_code'],
  ]);
  const [first, second] = stack.toldOf(id as string);
  expect(Object.keys(first!.audit!.changes)).not.toEqual(expect.arrayContaining(['folder_id', 'tag_ids', 'domain']));
  expect(second!.audit!.changes).toEqual({
    title: { from: 'Poster', to: 'New' },
    style: { from: STYLE, to: { ...STYLE, margin: 2 } },
  });
  expect(stack.toldOf(id as string)[4]!.audit!.changes).toEqual({
    short_code: { from: short_code, to: null },
    title: { from: 'New', to: null },
    destination_url: { from: 'https://example.com/', to: null },
    campaign_tag: { from: 'expo', to: null },
    utm_defaults: { from: created.body.data.utm_defaults, to: null },
    query_policy: { from: 'append', to: null },
    redirect_status: { from: 302, to: null },
    forward_path: { from: false, to: null },
    status: { from: 'active', to: null },
    style: { from: { ...STYLE, margin: 2 }, to: null },
  });
});

describe('the style', () => {
  test('with a logo shows the error correction that is drawn, and without it the requested one', async () => {
    const style = { error_correction: 'L', logo_url: pngLogo(32) };
    const { id, style: made } = (await post({ style })).body.data;
    expect(made.error_correction).toBe('H');
    expect((await patch(id, { style: { logo_url: null } })).body.data.style.error_correction).toBe('L');
  });

  test('merges by key; null takes the default back', async () => {
    const style = {
      foreground: '#AA0000',
      background: '#eeeeee',
      error_correction: 'H',
      margin: 0,
      logo_url: pngLogo(32),
    };
    const { id, ...made } = (await post({ style })).body.data;
    expect(made.style).toEqual({ ...style, foreground: '#aa0000' });
    expect((await patch(id, { style: { margin: 8, logo_url: null } })).body.data.style).toEqual({
      ...style,
      foreground: '#aa0000',
      margin: 8,
      logo_url: null,
    });
    expect((await patch(id, { style: {} })).body.data.style.margin).toBe(8);
    expect((await patch(id, { style: null })).body.data.style).toEqual(STYLE);
    expect((await post({ style: { logo_url: JPEG_LOGO } })).status).toBe(201);
  });

  test('a logo is not repeated in the audit log', async () => {
    const { id } = (await post({ style: { logo_url: pngLogo(32) } })).body.data;
    await waitFor('the event', () => stack.toldOf(id as string).length === 1);
    expect(JSON.stringify(stack.toldOf(id as string))).not.toContain('base64');
    expect(stack.toldOf(id as string)[0]!.audit!.changes.style!.to).toMatchObject({
      logo_url: expect.stringMatching(/^sha256:/),
    });
  });

  test.each([
    [{ foreground: 'red' }, ['style.foreground']],
    [{ background: '#12345' }, ['style.background']],
    [{ error_correction: 'X', margin: 17 }, ['style.error_correction', 'style.margin']],
    [{ margin: 1.5 }, ['style.margin']],
    [{ logo_url: 'https://example.com/logo.png' }, ['style.logo_url']],
    [{ logo_url: 'data:image/svg+xml;base64,PHN2Zy8+' }, ['style.logo_url']],
    [{ foreground: '#eeeeee' }, ['style.foreground']],
    ['plain', ['style']],
    [[], ['style']],
  ])('%j names %p', async (style, fields) => {
    const created = await post({ style });
    expect([created.status, refused(created)]).toEqual([422, fields]);
    const { id } = (await post({})).body.data;
    const patched = await patch(id, { style });
    expect([patched.status, refused(patched)]).toEqual([422, fields]);
  });

  const bytesOf = (logo: string) => Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  const asLogo = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`;
  const png = bytesOf(pngLogo(96));
  const zeroed = (from: number) => Buffer.concat([png.subarray(0, from), Buffer.alloc(png.length - from)]);
  const flipped = (at: number) =>
    Buffer.concat([png.subarray(0, at), Buffer.from([png[at]! ^ 0xff]), png.subarray(at + 1)]);

  test.each([
    ['a PNG of 200 bytes', asLogo(png.subarray(0, 200))],
    ['the header of a PNG', asLogo(png.subarray(0, 33))],
    ['a PNG without its last bytes', asLogo(zeroed(png.length - 20))],
    ['a PNG with a bit flipped', asLogo(flipped(png.length >> 1))],
    ['a PNG that shows nothing', CLEAR_LOGO],
    ['a JPEG with a larger one hidden in it', jpegWithHidden(progressiveJpeg(1, 1500))],
    ['half of a JPEG', asLogo(bytesOf(JPEG_LOGO).subarray(0, -4), 'image/jpeg')],
  ])('%s is refused as a logo, beside what else is wrong', async (_what, logo_url) => {
    const { id } = (await post({})).body.data;
    const body = { style: { logo_url }, title: 7 };
    for (const answer of [await post(body), await patch(id, body)]) {
      expect([answer.status, refused(answer)]).toEqual([422, ['style.logo_url', 'title']]);
    }
    expect((await stack.call('GET', `/qr-codes/${id}`)).body.data.style).toEqual(STYLE);
  });

  const headerOf = (logo: string) => readImageHeader(bytesOf(logo))!;

  test.each([
    ['wide', flatLogo(1024, 512), [512, 256]],
    ['tall', flatLogo(300, 2000), [77, 512]],
  ])('a %s logo is scaled down once, and then stays as it is', async (_what, logo_url, [width, height]) => {
    const made = (await post({ style: { logo_url } })).body.data;
    expect(headerOf(made.style.logo_url)).toEqual({ type: 'image/png', width, height });
    const again = await patch(made.id, { style: { logo_url: made.style.logo_url } });
    expect(again.body.data).toEqual(made);
    expect((await stack.call('GET', `/qr-codes/${made.id}/image?format=png&size=512`)).status).toBe(200);
  });

  test('a logo of many colours is scaled down until it fits', async () => {
    const { status, body } = await post({ style: { logo_url: await noisyLogo() } });
    expect(status).toBe(201);
    const { width } = headerOf(body.data.style.logo_url);
    expect(width).toBeLessThan(512);
    expect(bytesOf(body.data.style.logo_url).length).toBeLessThanOrEqual(64 * 1024);
  });

  test('a progressive JPEG is taken with a few scans, and refused with very many', async () => {
    expect((await post({ style: { logo_url: progressiveJpeg(1) } })).status).toBe(201);
    const bomb = progressiveJpeg(3300, 2048);
    expect(bytesOf(bomb).length).toBeLessThan(64 * 1024);
    expect(refused(await post({ style: { logo_url: bomb } }))).toEqual(['style.logo_url']);
  });

  test('a logo that was stored before goes on being drawn, unless it has very many scans', async () => {
    const { id } = (await post({})).body.data;
    const stored = stack.database.collection<{ _id: string }>('links');
    const draw = async (logo_url: string | null) => {
      await stored.updateOne({ _id: id }, { $set: { 'style.logo_url': logo_url } });
      return (await stack.call('GET', `/qr-codes/${id}/image?format=svg`)).text;
    };
    const large = flatLogo(1500, 1500);
    expect(await draw(large)).toContain(large);
    expect(await draw(progressiveJpeg(3300, 2048))).toBe(await draw(null));
  });

  test('many logos at once are all looked at', async () => {
    const style = { logo_url: pngLogo(32) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ style })));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  });

  test('two colours that do not fit each other are refused also when only one of them is new', async () => {
    const { id } = (await post({ style: { foreground: '#777777' } })).body.data;
    expect(refused(await patch(id, { style: { background: '#999999' } }))).toEqual(['style.foreground']);
  });
});

test('what QR codes do not have is refused, or ignored and not shown when the client prefers so', async () => {
  const extra = { folder_id: 'fld_x', tag_ids: ['tag_x'], domain_id: 'dom_x', utm_template_id: 'utm_x' };
  expect(refused(await post(extra))).toEqual(Object.keys(extra).sort());
  const created = await post(extra, { headers: LENIENT });
  expect(created.status).toBe(201);
  expect(item(qrCode.strict()).parse(created.body)).toEqual(created.body);
  const filtered = await stack.call('GET', '/qr-codes?folder_id=fld_x&tag_id=tag_x&domain_id=dom_x', {
    headers: LENIENT,
  });
  expect(filtered.body.meta.total).toBeGreaterThan(0);
});

test('several wrong fields are named at once', async () => {
  const answer = await post({
    destination_url: 'https://go.test/x',
    title: 7,
    campaign_tag: [],
    status: 'on',
    short_code: 'q',
  });
  expect([answer.status, refused(answer)]).toEqual([
    422,
    ['campaign_tag', 'destination_url', 'short_code', 'status', 'title'],
  ]);
});

test('the list has the filters and orders of links, without their folders, tags and domains', async () => {
  const workspace = 'listed';
  const a = (await post({ title: 'Banner', campaign_tag: 'x' }, { workspace })).body.data;
  const b = (await post({ title: 'apple', status: 'archived' }, { workspace })).body.data;
  const ids = async (query: string) => (await stack.list(query, { workspace })).data.map(({ id }: any) => id as string);
  expect(await ids('')).toEqual([b.id, a.id]);
  expect(await ids('sort=title')).toEqual([b.id, a.id]);
  expect(await ids('sort=-title')).toEqual([a.id, b.id]);
  expect(await ids('status=archived')).toEqual([b.id]);
  expect(await ids(`updated_since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect((await stack.call('GET', '/qr-codes')).body.meta.per_page).toBe(15);
  expect(await ids('campaign=x')).toEqual([a.id]);
  expect(await ids('search=bann')).toEqual([a.id]);
  const bad = await stack.call('GET', '/qr-codes?sort=x&status=y&per_page=0');
  expect([bad.status, refused(bad)]).toEqual([422, ['per_page', 'sort', 'status']]);
});

test('the quota is that of active QR codes', async () => {
  const options = { workspace: 'quota', activeLinks: 1 };
  const { id } = (await post({}, options)).body.data;
  const details = { resource: 'active_qr_codes', limit: 1, current: 1 };
  expect((await post({}, options)).body.error.details).toMatchObject(details);
  await patch(id, { status: 'archived' }, options);
  await post({}, options);
  expect((await patch(id, { status: 'active' }, options)).body.error.details).toMatchObject(details);
});

test('scans are counted, freeze the code, and the redirect finds it', async () => {
  const { id, short_code } = (await post({ short_code: 'poster' })).body.data;
  await stack.scan({ id, short_code });
  await waitFor('the count', async () => (await stack.call('GET', `/qr-codes/${id}`)).body.data.scans_count === 1);
  expect(refused(await patch(id, { short_code: 'other' }))).toEqual(['short_code']);
  const { target } = await stack.requester.ask(resolveCode, { hostname: null, short_code: 'POSTER' }, 10_000);
  expect(target).toMatchObject({ workspace: 'acme', link: { id, short_code: 'poster' } });
});

test('is 404 in another workspace, 403 for a forbidden role, 401 without identity; an unversioned twin exists', async () => {
  const { id } = (await post({})).body.data;
  for (const [method, body] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const) {
    const call = (options: object) => stack.call(method, `/qr-codes/${id}`, { body, ...options });
    expect((await call({ workspace: 'globex' })).status).toBe(404);
    expect((await call({ anonymous: true })).status).toBe(401);
    if (method !== 'GET') expect((await call({ role: 'viewer' })).status).toBe(403);
    if (method === 'DELETE') expect((await call({ role: 'admin' })).status).toBe(403);
  }
  expect((await stack.call('GET', `/qr-codes/${id}`, { unversioned: true })).body.data.id).toBe(id);
});

test.each(['/links', '/folders', '/tags', '/utm-templates', '/links/lnk_1/qr'])(
  '%s is 404 in this deployment',
  async (path) => {
    expect((await stack.call('GET', path)).status).toBe(404);
  },
);

test('with an Idempotency-Key one is created', async () => {
  const headers = { 'idempotency-key': 'qr-once' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => post({ title: 'once' }, { headers })));
  const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id as string);
  expect(new Set(ids).size).toBe(1);
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
});
