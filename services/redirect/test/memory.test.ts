import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { toTargetRecord } from '../src/targets/target-record.js';
import { toRedirectTarget } from '../src/targets/target.js';
import { sampleLink, WORKSPACE } from './support.js';

const MIB = 2 ** 20;

/** Runs the script in a process with this heap and a cache of targets. @returns its output */
function inProcess(heapMib: number, script: string) {
  const module = (path: string) => JSON.stringify(join(__dirname, '../dist', path));
  const prelude = `
    const { RecordCache } = require(${module('read-model/record-cache.js')});
    const { toRedirectTarget } = require(${module('targets/target.js')});
    const { toTargetRecord } = require(${module('targets/target-record.js')});
    const { locationFor } = require(${module('destinations/destination.js')});
    const link = ${JSON.stringify(sampleLink({ title: 'Spring', campaign_tag: 'spring-26' }))};
    const cacheOf = (bytes) => new RecordCache(bytes, toRedirectTarget);
    // Through JSON, as from an event: no text is shared between two links.
    const recordOf = (n, over) => {
      const own = { ...link, id: link.id.slice(0, -6) + String(n).padStart(6, '0'), short_code: 'code' + n, ...over };
      return toTargetRecord('acme', JSON.parse(JSON.stringify(own)), { changedAt: new Date(), isGone: false });
    };`;
  const flags = ['--expose-gc', `--max-old-space-size=${heapMib}`, '-e'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, prelude + script], { cwd: __dirname });
  return { status, stdout: stdout.toString(), stderr: stderr.toString().slice(0, 300) };
}

const PAIRS = `https://acme.com/?${'a1=1&'.repeat(405)}`;

describe('the cache of targets', () => {
  test('stays within its bytes when more links of 2,048 characters are visited than fit', () => {
    const { status, stdout, stderr } = inProcess(
      96,
      `const cache = cacheOf(${16 * MIB});
       for (let n = 0; n < 20000; n += 1) {
         cache.apply(recordOf(n, { destination_url: ${JSON.stringify(PAIRS)} + n }));
         locationFor(cache.known('/code' + n).destination, 'ref=mail');
       }
       console.log(JSON.stringify({ bytes: cache.bytes, size: cache.size }));`,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { bytes, size } = JSON.parse(stdout) as { bytes: number; size: number };
    expect(bytes).toBeLessThanOrEqual(16 * MIB);
    expect(size).toBeGreaterThan(4000);
  });

  test.each([
    ['80 characters', `https://acme.com/${'x'.repeat(63)}`, {}],
    ['2,048 characters', `https://acme.com/${'x'.repeat(2031)}`, {}],
    ['2,048 characters of parameters', PAIRS, {}],
    ['a title of other characters than Latin ones', 'https://acme.com/', { title: '春'.repeat(255) }],
    [
      'UTM defaults',
      'https://acme.com/',
      { utm_defaults: { ...sampleLink().utm_defaults, utm_term: '春'.repeat(255) } },
    ],
    [
      'a schedule, a limit and an address for afterwards',
      `https://acme.com/${'x'.repeat(63)}`,
      {
        starts_at: '2026-01-01T00:00:00.000Z',
        expires_at: '2030-01-01T00:00:00.000Z',
        max_scans: 500,
        expired_url: `https://acme.com/${'y'.repeat(63)}`,
      },
    ],
    [
      'a hundred former codes',
      'https://acme.com/',
      { former_codes: Array.from({ length: 100 }, (_, n) => ({ hostname: null, short_code: `former-${n}-$` })) },
    ],
  ])('counts no fewer bytes than a link with %s takes', (_kind, destinationUrl, over) => {
    const link = sampleLink({ destination_url: destinationUrl, ...over });
    const counted = toRedirectTarget(toTargetRecord(WORKSPACE, link, { changedAt: new Date(), isGone: false })).bytes;
    const { stdout, stderr } = inProcess(
      512,
      `const cache = cacheOf(1e9);
       const over = ${JSON.stringify({ destination_url: destinationUrl, ...over })};
       const codes = (n) => over.former_codes && { former_codes: over.former_codes.map((place) => ({ ...place, short_code: place.short_code.replace('$', n) })) };
       const fill = (from, to) => {
         for (let n = from; n < to; n += 1) cache.apply(recordOf(n, { ...over, ...codes(n), destination_url: over.destination_url + n }));
         gc();
         return process.memoryUsage().heapUsed;
       };
       const before = fill(0, 10);
       console.log((fill(10, 3010) - before) / 3000);`,
    );
    const measured = Number(stdout);
    expect(stderr).toBe('');
    expect(measured).toBeGreaterThan(100);
    expect(measured).toBeLessThanOrEqual(counted);
  });
});
