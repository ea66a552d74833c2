import type { Server } from 'node:http';
import { EVERY_ROLE } from '@waymark/contract/roles';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { ServiceCaller, type CallOptions } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startResource } from '@waymark/resource/app';
import { resourceConfig } from '@waymark/resource/config';
import { pngLogo } from './logos.js';
import { pixelAt, rasterise, readQr, widthOfPng } from './qr-reader.js';

const caller = new ServiceCaller('resource', () => urlOf(server));
const parts = testProcess(resourceConfig, {
  ...freshBacking(),
  DEPLOYMENT: 'qr',
  IDENTITY_KEY: caller.key,
  API_BASE_URL: 'http://api.test',
  SHORT_BASE_URL: 'http://go.test',
});
let server: Server;

beforeAll(async () => {
  server = await startResource(parts);
  await waitFor('the database', async () => (await caller.call('GET', '/qr-codes')).status === 200);
});
afterAll(() => parts.lifecycle.stop());

let codes = 0;
async function create(style?: object, options: CallOptions = {}): Promise<string> {
  codes += 1;
  const body = { destination_url: 'https://example.com', short_code: `Code${codes}`, ...(style && { style }) };
  const { status, text, body: made } = await caller.call('POST', '/qr-codes', { ...options, body });
  if (status !== 201) throw new Error(text);
  return `/qr-codes/${made.data.id}`;
}

const image = (path: string, query = '', options: CallOptions = {}) =>
  caller.call('GET', `${path}/image${query}`, options);

test('a QR code without a style is black on white and leads to its short URL', async () => {
  const path = await create();
  const { status, headers, text } = await image(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(headers.get('content-disposition')).toBe(`inline; filename="qr-Code${codes}.svg"`);
  expect(readQr(rasterise(text, 512))).toBe(`http://go.test/Code${codes}`);
  const png = await image(path, '?format=png&size=300');
  expect([png.headers.get('content-type'), widthOfPng(png.bytes)]).toEqual(['image/png', 300]);
  expect(readQr(rasterise(png.bytes, 300))).toBe(`http://go.test/Code${codes}`);
});

test('its stored style is that of the image, and a change of it shows at once', async () => {
  const path = await create({ foreground: '#1A3C8C', background: 'fff8dc', margin: 2, logo_url: pngLogo(64) });
  const first = await image(path, '?format=png&size=400');
  const pixels = rasterise(first.bytes, 400);
  expect(readQr(pixels)).toBe(`http://go.test/Code${codes}`);
  expect(pixelAt(pixels, 0, 0)).toBe('#fff8dc');
  expect(['#fff8dc', '#1a3c8c']).not.toContain(pixelAt(pixels, 200, 200));

  const tag = { headers: { 'if-none-match': first.headers.get('etag')! } };
  expect((await image(path, '?format=png&size=400', tag)).status).toBe(304);
  expect((await caller.call('PATCH', path, { body: { style: { background: '#ffffff' } } })).status).toBe(200);
  const second = await image(path, '?format=png&size=400', tag);
  expect(second.status).toBe(200);
  expect(pixelAt(rasterise(second.bytes, 400), 0, 0)).toBe('#ffffff');
});

test('images with a logo of a workspace that asks for many wait, those of another workspace are drawn meanwhile', async () => {
  const style = { logo_url: pngLogo(128) };
  const other = { workspace: 'globex' };
  const [flooded, path] = [await create(style), await create(style, other)];
  const answered: number[] = [];
  // On a slow machine, some wait for too long and are requested again.
  const draw = async () => {
    const { status } = await image(flooded, '?format=png&size=1024');
    return status !== 503 && status;
  };
  const flood = Array.from({ length: 60 }, async () => answered.push(await waitFor('an image', draw)));
  await waitFor('the first image', () => answered.length > 0);
  expect((await image(path, '?format=png&size=400', other)).status).toBe(200);
  expect(answered.length).toBeLessThan(flood.length);
  await Promise.all(flood);
  expect(new Set(answered)).toEqual(new Set([200]));
});

test('a style can be tried in an image before it is stored', async () => {
  const path = await create({ foreground: '#1a3c8c', background: '#fff8dc', margin: 2, error_correction: 'L' });
  const stored = await image(path, '?format=png&size=400');
  const tried = await image(path, '?format=png&size=400&background=%23ffffff&margin=6&error_correction=Q');
  const pixels = rasterise(tried.bytes, 400);
  expect(readQr(pixels)).toBe(`http://go.test/Code${codes}`);
  expect(pixelAt(pixels, 0, 0)).toBe('#ffffff');
  expect(tried.headers.get('etag')).not.toBe(stored.headers.get('etag'));
  expect((await image(path, '?format=png&size=400')).bytes).toEqual(stored.bytes);

  const same = { background: '#ffffff', margin: 6, error_correction: 'Q' };
  expect((await caller.call('PATCH', path, { body: { style: same } })).status).toBe(200);
  expect((await image(path, '?format=png&size=400')).bytes).toEqual(tried.bytes);
});

test('a tried style that a scanner could not read is a 422, with the stored one in mind', async () => {
  const path = await create({ background: '#777777' });
  for (const [query, field] of [
    ['foreground=555555', 'foreground'],
    ['background=111111', 'foreground'],
    ['margin=99', 'margin'],
    ['error_correction=X', 'error_correction'],
    ['logo_url=x', 'logo_url'],
  ]) {
    const { status, body } = await image(path, `?${query}`);
    expect([query, status, Object.keys(body.error.details)]).toEqual([query, 422, [field]]);
  }
});

test('a short URL that has changed is in the image at once', async () => {
  const path = await create();
  await caller.call('PATCH', path, { body: { short_code: 'changed' } });
  expect(readQr(rasterise((await image(path)).text, 512))).toBe('http://go.test/changed');
});

test.each([
  ['style.foreground', { foreground: 'red' }],
  ['style.foreground', { foreground: '#eeeeee' }],
  ['style.foreground', { foreground: '#ffffff', background: '#000000' }],
  ['style.background', { background: 'none' }],
  ['style.margin', { margin: 99 }],
  ['style.error_correction', { error_correction: 'X' }],
  ['style.logo_url', { logo_url: 'https://example.com/logo.png' }],
  ['style.logo_url', { logo_url: 'http://169.254.169.254/latest' }],
  ['style.logo_url', { logo_url: `data:image/png;base64,${Buffer.from('<svg onload=alert(1)>').toString('base64')}` }],
])('a create and an update with a bad style answer 422 on %s', async (field, style) => {
  const body = { destination_url: 'https://example.com', style };
  const path = await create();
  for (const answer of [
    await caller.call('POST', '/qr-codes', { body }),
    await caller.call('PATCH', path, { body: { style } }),
  ]) {
    expect([answer.status, Object.keys(answer.body.error.details)]).toEqual([422, [field]]);
  }
});

test('a colour that does not fit the stored one is refused', async () => {
  const path = await create({ background: '#777777' });
  const { status, body } = await caller.call('PATCH', path, { body: { style: { foreground: '#555555' } } });
  expect([status, Object.keys(body.error.details)]).toEqual([422, ['style.foreground']]);
});

test.each([
  ['format', 'format=pdf'],
  ['size', 'size=32'],
  ['size', 'size=4096'],
])('422 names %s for ?%s', async (field, query) => {
  const { status, body } = await image(await create(), `?${query}`);
  expect([status, Object.keys(body.error.details)]).toEqual([422, [field]]);
});

test('who may not, may not: 401, 403, 404', async () => {
  const path = await create();
  expect((await image(path, '', { anonymous: true })).status).toBe(401);
  expect((await image(path, '', { access: { slug: 'globex' } })).status).toBe(403);
  expect((await image(path, '', { workspace: 'globex' })).status).toBe(404);
  expect((await image('/qr-codes/qr_none')).status).toBe(404);
  for (const role of EVERY_ROLE) {
    expect((await image(path, '', { access: { role, abilities: ['read'] } })).status).toBe(200);
  }
});

test('the unversioned twin serves the same image', async () => {
  const path = await create();
  expect((await image(path, '', { unversioned: true })).text).toBe((await image(path)).text);
});

test('the routes of links are 404 here', async () => {
  expect((await caller.call('GET', '/links/lnk_1/qr')).status).toBe(404);
  expect((await caller.call('POST', '/links/import', { body: {} })).status).toBe(404);
  expect((await caller.call('GET', '/links/imports/imp_1')).status).toBe(404);
});
