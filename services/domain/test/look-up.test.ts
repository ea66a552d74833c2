import { NameServer } from '@waymark/testing/name-server';
import { waitFor } from '@waymark/testing/wait-for';
import { probeTruncation } from '@waymark/domain/dns/truncation-probe';
import { createLookUp, majorityFinding, type Finding } from '@waymark/domain/dns/look-up';

const NAME = '_waymark-challenge.go.acme.com';
const VALUE = 'abcdefghijklmnopqrstuvwxyz234567';
const TIMEOUT_MS = 30_000;
/** Of look-ups that end without a conclusive answer. */
const SHORT_TIMEOUT_MS = 600;
/** A port without a name server. */
const NOBODY = '127.0.0.1:9';

let server: NameServer;
beforeEach(async () => (server = await NameServer.start()));
afterEach(() => server.stop());

async function startOverTcp(): Promise<void> {
  await server.stop();
  server = await NameServer.startOverTcp();
}

const lookUp = (servers = [server.address], timeoutMs = TIMEOUT_MS) => createLookUp(servers, timeoutMs)(NAME, VALUE);
const reasonOf = (finding: Finding) => (finding.kind === 'found' ? null : finding.reason);

describe('the record', () => {
  test.each([
    ['alone', [VALUE]],
    ['among others', ['v=spf1 -all', VALUE, 'x'.repeat(600)]],
    ['with space around it', [` ${VALUE} `]],
  ])('a record as %s is found', async (_what, values) => {
    server.setTexts(NAME, ...values);
    expect(await lookUp()).toEqual({ kind: 'found' });
  });

  test('a record is found as soon as it appears and missing as soon as it is removed', async () => {
    const ask = createLookUp([server.address], TIMEOUT_MS);
    for (let round = 0; round < 3; round += 1) {
      expect((await ask(NAME, VALUE)).kind).toBe('missing');
      server.setTexts(NAME, VALUE);
      expect((await ask(NAME, VALUE)).kind).toBe('found');
      server.removeName(NAME);
    }
  });

  test.each([
    ['no such name', undefined, /^NXDOMAIN: /],
    ['no TXT record', [], /^NODATA: /],
    ['another value', ['something'], /none with the expected value/],
    ['the value in capitals', [VALUE.toUpperCase()], /none with the expected value/],
    ['the value inside another', [`x${VALUE}x`], /none with the expected value/],
    ['no text', [''], /none with the expected value/],
  ])('a record with %s is missing', async (_what, values, reason) => {
    if (values) server.setTexts(NAME, ...values);
    const finding = await lookUp();
    expect(finding.kind).toBe('missing');
    expect(reasonOf(finding)).toMatch(reason);
  });

  test('a record behind an alias without a record is missing', async () => {
    server.setAlias(NAME, 'nowhere.acme.com');
    expect(await lookUp()).toEqual({ kind: 'missing', reason: `NODATA: ${NAME} has no TXT record.` });
  });

  test.each([
    ['_waymark-challenge.acme.com', 'the parent'],
    ['go.acme.com', 'the host itself'],
    ['_waymark-challenge.x.go.acme.com', 'a child'],
  ])('a record at %s (%s) is not accepted', async (name) => {
    server.setTexts(name, VALUE);
    expect((await lookUp()).kind).toBe('missing');
  });
});

describe('a name server', () => {
  test.each([
    ['SERVFAIL', TIMEOUT_MS, /^SERVFAIL: /],
    ['REFUSED', TIMEOUT_MS, /could not be looked up \(EREFUSED\)/],
    ['silent', SHORT_TIMEOUT_MS, /did not answer in time/],
  ] as const)('that answers %s says nothing about the record', async (manner, timeoutMs, reason) => {
    server.setTexts(NAME, VALUE);
    server.manner = manner;
    const startedAt = Date.now();
    const finding = await lookUp([server.address], timeoutMs);
    expect(finding.kind).toBe('unknown');
    expect(reasonOf(finding)).toMatch(reason);
    expect(Date.now() - startedAt).toBeLessThan(10 * timeoutMs);
  });

  test('answers truncated to nothing, even over TCP, are inconclusive', async () => {
    await startOverTcp();
    server.manner = 'truncated';
    const finding = await lookUp();
    expect([finding.kind, reasonOf(finding)]).toEqual(['unknown', expect.stringMatching(/truncated/)]);
  });

  test.each([
    ['with the record', [VALUE], 'found'],
    ['without it', [], 'missing'],
  ])('an answer that is complete only over TCP counts: %s', async (_what, values, kind) => {
    await startOverTcp();
    server.setTexts(NAME, ...values);
    server.manner = 'truncated by UDP';
    expect((await createLookUp([server.address], 5000)(NAME, VALUE)).kind).toBe(kind);
  });

  test.each([
    ['truthful', 'complete'],
    ['truncated by UDP', 'complete'],
    ['truncated', 'truncated'],
    ['silent', 'unanswered'],
  ] as const)('the answer of a name server that is %s is %s', async (manner, expected) => {
    await startOverTcp();
    server.manner = manner;
    const over = AbortSignal.timeout(manner === 'silent' ? 300 : 5000);
    expect(await probeTruncation(server.address, NAME, over)).toBe(expected);
  });

  test('a name server without TCP gives a truncated answer, and an unreachable one gives none', async () => {
    server.manner = 'truncated';
    expect(await probeTruncation(server.address, NAME, AbortSignal.timeout(5000))).toBe('truncated');
    expect(await probeTruncation(NOBODY, NAME, AbortSignal.timeout(300))).toBe('unanswered');
  });

  test.each([
    ['with the record', [VALUE], 'found'],
    ['without it', [], 'missing'],
  ])('an answer just before the time-out counts: %s', async (_what, values, kind) => {
    server.setTexts(NAME, ...values);
    server.delayMs = 3000;
    expect((await createLookUp([server.address], 4500)(NAME, VALUE)).kind).toBe(kind);
  });

  test('a lost query is sent again', async () => {
    server.setTexts(NAME, VALUE);
    server.manner = 'silent';
    const asked = createLookUp([server.address], 6000)(NAME, VALUE);
    await waitFor('the question', () => server.questions > 0);
    server.manner = 'truthful';
    expect(await asked).toEqual({ kind: 'found' });
  });

  test('an unreachable name server is inconclusive', async () => {
    expect((await lookUp([NOBODY], SHORT_TIMEOUT_MS)).kind).toBe('unknown');
  });
});

describe('of three name servers', () => {
  let others: NameServer[];
  beforeEach(async () => (others = [await NameServer.start(), await NameServer.start()]));
  afterEach(() => Promise.all(others.map((other) => other.stop())));
  const all = () => [server, ...others].map(({ address }) => address);

  test('one dead name server of three neither prevents nor delays a finding', async () => {
    server.manner = 'silent';
    expect((await lookUp(all())).kind).toBe('missing');
    for (const other of others) other.setTexts(NAME, VALUE);
    expect((await lookUp(all())).kind).toBe('found');
    // Each look-up sent its query and its probe once: none waited for the next share of the time.
    expect(server.questions).toBeLessThanOrEqual(4);
  });

  test('one lying name server of three does not decide', async () => {
    server.setTexts(NAME, VALUE);
    expect((await lookUp(all())).kind).toBe('missing');
    for (const other of others) other.setTexts(NAME, VALUE);
    server.manner = 'NXDOMAIN';
    expect((await lookUp(all())).kind).toBe('found');
  });

  test('two dead name servers of three are inconclusive', async () => {
    for (const other of others) other.manner = 'silent';
    expect((await lookUp(all(), SHORT_TIMEOUT_MS)).kind).toBe('unknown');
  });
});

const FOUND: Finding = { kind: 'found' };
const MISSING: Finding = { kind: 'missing', reason: 'm' };
const UNKNOWN: Finding = { kind: 'unknown', reason: 'u' };

test.each([
  [[FOUND], 'found'],
  [[MISSING], 'missing'],
  [[FOUND, MISSING], 'unknown'],
  [[FOUND, UNKNOWN], 'unknown'],
  [[MISSING, UNKNOWN], 'unknown'],
  [[MISSING, MISSING, FOUND], 'missing'],
  [[FOUND, FOUND, UNKNOWN], 'found'],
  [[FOUND, MISSING, UNKNOWN], 'unknown'],
  [[FOUND, FOUND, MISSING, MISSING], 'unknown'],
])('the majority finding of %j is %s', (findings, kind) => {
  expect(majorityFinding(findings).kind).toBe(kind);
});
