import type { Server } from 'node:http';
import { ROUTES } from '@waymark/contract/routes';
import { EVERY_ROLE } from '@waymark/contract/roles';
import { freshBacking } from '@waymark/testing/backing';
import { testProcess } from '@waymark/testing/process-parts';
import { ServiceCaller, type CallOptions } from '@waymark/testing/service-caller';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { startResource } from '@waymark/resource/app';
import { resourceConfig } from '@waymark/resource/config';
import { pixelAt, rasterise, readQr, widthOfPng } from './qr-reader.js';

const caller = new ServiceCaller('resource', () => urlOf(server));
const parts = testProcess(resourceConfig, {
  ...freshBacking(),
  IDENTITY_KEY: caller.key,
  API_BASE_URL: 'http://api.test',
  SHORT_BASE_URL: 'http://go.test',
});
let server: Server;
let path: string;

beforeAll(async () => {
  server = await startResource(parts);
  await waitFor('the database', async () => (await caller.call('GET', '/links')).status === 200);
  const { body } = await caller.call('POST', '/links', {
    body: { destination_url: 'https://example.com', short_code: 'Spring' },
  });
  path = `/links/${body.data.id}/qr`;
});
afterAll(() => parts.lifecycle.stop());

const get = (query = '', options: CallOptions = {}) => caller.call('GET', `${path}${query}`, options);

test('without parameters it is an SVG of 512 pixels that leads to the QR trigger of the link', async () => {
  const { status, headers, text } = await get();
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('image/svg+xml');
  expect(headers.get('content-disposition')).toBe('inline; filename="qr-Spring.svg"');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(text).toMatch(/^<svg [^>]*width="512" height="512"/);
  expect(readQr(rasterise(text, 512))).toBe('http://go.test/q/Spring');
});

test.each([64, 200, 2048])('a PNG of %i pixels has that size and is read', async (size) => {
  const { status, headers, bytes } = await get(`?format=png&size=${size}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(headers.get('content-disposition')).toBe('inline; filename="qr-Spring.png"');
  expect(Number(headers.get('content-length'))).toBe(bytes.length);
  expect(widthOfPng(bytes)).toBe(size);
  expect(readQr(rasterise(bytes, size))).toBe('http://go.test/q/Spring');
});

test('colours, margin and error correction of the query are those of the image', async () => {
  const style = 'foreground=1A3C8C&background=%23fff8dc&margin=2&error_correction=H';
  const { status, bytes } = await get(`?format=png&size=370&${style}`);
  expect(status).toBe(200);
  const pixels = rasterise(bytes, 370);
  expect(readQr(pixels)).toBe('http://go.test/q/Spring');
  // 29 modules of level H and two of margin on each side make 33: 11 pixels each, and 3 extra pixels on the left.
  expect([pixelAt(pixels, 0, 0), pixelAt(pixels, 24, 24), pixelAt(pixels, 26, 26)]).toEqual([
    '#fff8dc',
    '#fff8dc',
    '#1a3c8c',
  ]);
});

test.each([
  ['format', 'format=gif'],
  ['size', 'size=63'],
  ['size', 'size=2049'],
  ['size', 'size=1e3'],
  ['size', 'size=100&size=200'],
  ['foreground', 'foreground=red'],
  ['foreground', 'foreground=ffff00'],
  ['foreground', 'foreground=000&background=fff'],
  ['foreground', 'foreground=ffffff&background=000000'],
  ['background', 'background=%23fff%22%2F%3E'],
  ['margin', 'margin=17'],
  ['margin', 'margin=-1'],
  ['error_correction', 'error_correction=h'],
])('422 names %s for ?%s', async (field, query) => {
  const { status, body } = await get(`?${query}`);
  expect([status, body.error.code]).toEqual([422, 'validation_failed']);
  expect(Object.keys(body.error.details)).toContain(field);
});

test('all wrong parameters are named at once', async () => {
  const { body } = await get('?size=1&format=gif&margin=99&foreground=eeeeee');
  expect(Object.keys(body.error.details).sort()).toEqual(['foreground', 'format', 'margin', 'size']);
});

test('a PNG with less than a pixel a module answers 422 on size, and says how many there must be', async () => {
  const link = { destination_url: 'https://example.com', short_code: 'long'.repeat(16) };
  const { id } = (await caller.call('POST', '/links', { body: link })).body.data;
  const image = `/links/${id}/qr?size=64&margin=16`;
  const { status, headers, body } = await caller.call('GET', `${image}&format=png`);
  expect([status, body.error.details.size]).toEqual([422, [expect.stringContaining('at least 69')]]);
  expect(headers.get('etag')).toBeNull();
  expect((await caller.call('GET', image)).status).toBe(200);
});

describe('an image that the caller has already', () => {
  test('is not sent again, and a different one is', async () => {
    const { headers } = await get('?format=png');
    const tag = headers.get('etag')!;
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await get('?format=png', { headers: { 'if-none-match': `"other", W/${tag}` } });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await get('?format=png&margin=1', { headers: { 'if-none-match': tag } })).status).toBe(200);
  });

  test('is another one once the short code has changed', async () => {
    const { body } = await caller.call('POST', '/links', {
      body: { destination_url: 'https://example.com', short_code: 'first' },
    });
    const image = `/links/${body.data.id}/qr`;
    const tag = (await caller.call('GET', image)).headers.get('etag')!;
    await caller.call('PATCH', `/links/${body.data.id}`, { body: { short_code: 'second' } });
    const after = await caller.call('GET', image, { headers: { 'if-none-match': tag } });
    expect(after.status).toBe(200);
    expect(readQr(rasterise(after.text, 512))).toBe('http://go.test/q/second');
  });
});

test('HEAD answers the headers alone', async () => {
  const { status, headers, text } = await caller.call('HEAD', `${path}?format=png`);
  expect([status, headers.get('content-type'), text]).toEqual([200, 'image/png', '']);
});

test.each(EVERY_ROLE)('a member with the role %s may look, with the read ability', async (role) => {
  expect((await get('', { access: { role, abilities: ['read'] } })).status).toBe(200);
});

test('a caller without an identity gets 401', async () => {
  expect((await fetch(`${urlOf(server)}/api/v1/workspaces/acme${path}`)).status).toBe(401);
});

test('an identity of another workspace gets 403, and the link of another workspace 404', async () => {
  expect((await get('', { access: { slug: 'globex' } })).status).toBe(403);
  expect((await get('', { workspace: 'globex' })).status).toBe(404);
});

test.each(['lnk_01', '$ne', 'x'.repeat(500)])('no link has the id %s: 404', async (id) => {
  expect((await caller.call('GET', `/links/${encodeURIComponent(id)}/qr`)).status).toBe(404);
});

test('another method answers 405 and names the right ones', async () => {
  const { status, headers } = await caller.call('POST', path);
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('the unversioned twin serves the same image, and names problems in the older way beside the new', async () => {
  const { text } = await get('', { unversioned: true });
  expect(text).toBe((await get()).text);
  const { body } = await get('?size=1', { unversioned: true });
  expect(body).toMatchObject({ errors: { size: [expect.any(String)] }, error: { code: 'validation_failed' } });
});

test('the route belongs to the links deployment alone', () => {
  expect(ROUTES['links.qr'].deployments).toEqual(['links']);
});
