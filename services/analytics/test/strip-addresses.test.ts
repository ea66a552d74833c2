import { stripAddresses } from '@waymark/analytics/ingest/consume-scans';

const strip = (body: string) => stripAddresses(Buffer.from(body)).toString('utf8');

test('stripAddresses empties every address of a message and keeps the rest', () => {
  const body = { id: 'evt_1', data: { scans: [{ id: 'scn_1', address: '203.0.113.7', referrer: 'x' }] } };
  expect(JSON.parse(strip(JSON.stringify(body)))).toEqual({
    id: 'evt_1',
    data: { scans: [{ id: 'scn_1', address: '', referrer: 'x' }] },
  });
});

test('stripAddresses empties addresses of another type or field', () => {
  expect(strip('{"address":{"v4":"203.0.113.7"},"scans":[[{"address":["2001:db8::7"]}]]}')).toBe(
    '{"address":"","scans":[[{"address":""}]]}',
  );
});

test.each([
  '{"scans":[{"address":"203.0.113.7","at":"2026',
  '{"address":"2001:db8:0:1::7"',
  'from ::ffff:203.0.113.7 at',
])('in a text that is not JSON nothing that looks like an address is left: %s', (body) => {
  expect(strip(body)).not.toMatch(/203\.0\.113\.7|2001:db8/);
});
