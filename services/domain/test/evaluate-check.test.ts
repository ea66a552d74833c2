import { evaluateCheck } from '@waymark/domain/checks/evaluate-check';
import { SCHEDULE } from '@waymark/domain/checks/schedule';
import type { Finding } from '@waymark/domain/dns/look-up';
import type { Domain } from '@waymark/domain/domains/domain';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const FOUND: Finding = { kind: 'found' };
const MISSING: Finding = { kind: 'missing', reason: 'NXDOMAIN' };
const SILENT: Finding = { kind: 'unknown', reason: 'time-out' };

const registered = (): Domain => ({
  _id: 'dom_1',
  workspace: 'acme',
  hostname: 'go.acme.com',
  challenge: 'c',
  status: 'pending',
  statusSince: new Date(0),
  notFoundUrl: null,
  verifiedAt: null,
  lastCheckedAt: null,
  lastError: null,
  checks: 0,
  misses: 0,
  nextCheckAt: new Date(0),
  checkNo: 0,
  checkedNo: 0,
  createdBy: null,
  createdAt: new Date(0),
  revision: 1,
});

interface Life {
  domain: Domain;
  /** Times of its checks, in milliseconds since its registration. */
  checkedAt: number[];
  /** Each status, and when it was first shown. */
  statuses: [string, number][];
}

/** Simulates every check that is due until then; the finding may depend on the time. */
function live(from: Domain, until: number, findingAt: (at: number) => Finding): Life {
  const life: Life = { domain: from, checkedAt: [], statuses: [] };
  while (life.domain.nextCheckAt && life.domain.nextCheckAt.getTime() <= until) {
    const now = life.domain.nextCheckAt;
    const before = life.domain.status;
    life.domain = evaluateCheck(life.domain, { finding: findingAt(now.getTime()), now }, SCHEDULE);
    life.checkedAt.push(now.getTime());
    if (life.domain.status !== before) life.statuses.push([life.domain.status, now.getTime()]);
  }
  return life;
}

const between = (from: number, to: number) => (at: number) => at >= from && at < to;

describe('a domain whose record never comes', () => {
  const life = live(registered(), 100 * DAY, () => MISSING);

  test('a domain without its record is checked at once, after 1, 5, 15 and 60 minutes, then every hour', () => {
    const pauses = life.checkedAt.slice(1, 9).map((at, i) => (at - life.checkedAt[i]!) / MINUTE);
    expect(life.checkedAt[0]).toBe(0);
    expect(pauses).toEqual([1, 5, 15, 60, 60, 60, 60, 60]);
  });

  test('a domain without its record is verifying from its first check and fails after 3 days', () => {
    expect(life.statuses.map(([status]) => status)).toEqual(['verifying', 'failed']);
    expect(life.statuses[0]![1]).toBe(0);
    expect(life.statuses[1]![1]).toBeGreaterThanOrEqual(3 * DAY);
    expect(life.statuses[1]![1]).toBeLessThan(3 * DAY + HOUR);
  });

  test('a failed domain is checked daily for 30 days', () => {
    const failedAt = life.statuses[1]![1];
    const daily = life.checkedAt.filter((at) => at > failedAt);
    expect(daily).toEqual(Array.from({ length: 30 }, (_, day) => failedAt + (day + 1) * DAY));
    expect(life.domain.nextCheckAt).toBeUndefined();
  });

  test('a domain without its record has the reason as its last error', () => {
    expect(life.domain).toMatchObject({ lastError: 'NXDOMAIN', verifiedAt: null });
  });
});

test('a late record verifies the domain at the next check, even after it has failed', () => {
  const late = live(registered(), 40 * MINUTE, (at) => (at < 10 * MINUTE ? MISSING : FOUND));
  expect(late.statuses).toEqual([
    ['verifying', 0],
    ['verified', 21 * MINUTE],
  ]);
  expect(late.domain).toMatchObject({ lastError: null, verifiedAt: new Date(21 * MINUTE), misses: 0 });
  const later = live(registered(), 20 * DAY, (at) => (at < 10 * DAY ? MISSING : FOUND));
  expect(later.statuses.map(([status]) => status)).toEqual(['verifying', 'failed', 'verified']);
});

test('an existing record verifies at the first check and is then checked daily', () => {
  const life = live(registered(), 5 * DAY, () => FOUND);
  expect(life.statuses).toEqual([['verified', 0]]);
  expect(life.checkedAt).toEqual([0, 1, 2, 3, 4, 5].map((day) => day * DAY));
});

describe('a verified domain whose record vanishes', () => {
  const lostAt = 10 * DAY;

  test('a verified domain is degraded at the first miss and fails after three misses over at least 72 hours', () => {
    const life = live(registered(), 60 * DAY, (at) => (at < lostAt ? FOUND : MISSING));
    expect(life.statuses.map(([status]) => status)).toEqual(['verified', 'degraded', 'failed']);
    const [, degradedAt, failedAt] = life.statuses.map(([, at]) => at);
    expect(degradedAt).toBe(lostAt);
    expect(failedAt! - degradedAt!).toBe(72 * HOUR);
    expect(life.domain.nextCheckAt).toBeUndefined();
  });

  test("a degraded domain is verified within an hour of the record's return, which resets the misses", () => {
    const away = between(lostAt, lostAt + 71 * HOUR);
    const awayAgain = between(lostAt + 80 * HOUR, lostAt + 150 * HOUR);
    const life = live(registered(), 30 * DAY, (at) => (away(at) || awayAgain(at) ? MISSING : FOUND));
    expect(life.statuses.map(([status]) => status)).toEqual([
      'verified',
      'degraded',
      'verified',
      'degraded',
      'verified',
    ]);
    expect(life.statuses[2]![1] - (lostAt + 71 * HOUR)).toBeLessThanOrEqual(HOUR);
  });

  test('a verified domain stays verified while no name server answers', () => {
    const silent = live(registered(), 365 * DAY, (at) => (at < lostAt ? FOUND : SILENT));
    expect(silent.statuses.map(([status]) => status)).toEqual(['verified']);
    expect(silent.domain.lastError).toBe('time-out');
  });

  test('time-outs neither count nor reset the misses of a degraded domain', () => {
    const degraded = live(registered(), 365 * DAY, (at) =>
      at < lostAt ? FOUND : at < lostAt + HOUR ? MISSING : SILENT,
    );
    expect(degraded.domain).toMatchObject({ status: 'degraded', misses: 1 });
    const twice = evaluateCheck(degraded.domain, { finding: MISSING, now: new Date(365 * DAY) }, SCHEDULE);
    expect(twice).toMatchObject({ status: 'degraded', misses: 2 });
    const thrice = evaluateCheck(twice, { finding: MISSING, now: new Date(365 * DAY + MINUTE) }, SCHEDULE);
    expect(thrice).toMatchObject({ status: 'failed', misses: 3 });
  });

  test('three misses within a minute do not fail a domain', () => {
    let domain = live(registered(), 0, () => FOUND).domain;
    for (let second = 1; second <= 60; second += 1) {
      domain = evaluateCheck(domain, { finding: MISSING, now: new Date(second * 1000) }, SCHEDULE);
    }
    expect(domain).toMatchObject({ status: 'degraded', misses: 60 });
  });
});

test('a domain without any DNS answer fails after 3 days and verifies later', () => {
  const life = live(registered(), 20 * DAY, (at) => (at < 10 * DAY ? SILENT : FOUND));
  expect(life.statuses.map(([status]) => status)).toEqual(['verifying', 'failed', 'verified']);
});
