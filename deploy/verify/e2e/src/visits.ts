import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@waymark/testing/wait-for';

type Kind = 'desktop' | 'mobile' | 'tablet' | 'bot';

export interface Visit {
  kind: Kind;
  method: 'GET' | 'HEAD';
  trigger: 'link' | 'qr';
  /** `qr=1` or the `/q/` path; both mean a printed code. */
  path: (code: string) => string;
  headers: Record<string, string>;
  referrer: string;
}

type VisitRequest = Pick<Visit, 'method' | 'path' | 'headers'>;

interface VisitAnswer {
  status: number;
  location: string;
}

const RETRIES_MAX = 30;

const REFERRERS: { header?: string; host: string }[] = [
  { host: 'direct' },
  { header: 'https://news.ycombinator.com/item?id=1', host: 'news.ycombinator.com' },
  { header: 'https://www.google.com/', host: 'google.com' },
  { header: 'https://l.instagram.com/?u=x', host: 'l.instagram.com' },
];

/** Every published user agent visits; some come twice, some by the printed code, some only look (HEAD). */
export function planVisits(): Visit[] {
  const file = join(__dirname, '..', 'fixtures', 'user-agents.json');
  const agents = JSON.parse(readFileSync(file, 'utf8')) as { user_agent: string; kind: Kind }[];
  return agents.flatMap(({ user_agent: userAgent, kind }, index) => {
    const referrer = REFERRERS[index % REFERRERS.length]!;
    const isQr = index % 5 === 0;
    const visit: Visit = {
      kind,
      method: 'GET',
      trigger: isQr ? 'qr' : 'link',
      path: (code) => (!isQr ? `/${code}` : index % 2 === 0 ? `/${code}?qr=1` : `/q/${code}`),
      headers: {
        'user-agent': userAgent,
        'x-forwarded-for': `198.51.100.${index + 1}`,
        ...(referrer.header && { referer: referrer.header }),
      },
      referrer: referrer.host,
    };
    return [
      visit,
      ...(index % 7 === 0 ? [visit] : []),
      ...(index % 10 === 0 ? [{ ...visit, method: 'HEAD' } as Visit] : []),
    ];
  });
}

/** Returns the expected figures of these visits, derived from the plan alone. */
export function expectedOf(visits: Visit[]) {
  const counted = visits.filter((visit) => visit.method === 'GET');
  const people = counted.filter((visit) => visit.kind !== 'bot');
  return {
    redirects: visits.length,
    counted: counted.length,
    scans: people.length,
    bots: counted.length - people.length,
    visitors: new Set(people.map((visit) => visit.headers['x-forwarded-for'])).size,
    devices: countBy(people, (visit) => visit.kind),
    triggers: countBy(people, (visit) => visit.trigger),
    referrers: countBy(people, (visit) => visit.referrer),
  };
}

export function countBy<T>(items: T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}

/** Waits until the redirect knows a change. A HEAD request is never counted. */
export async function waitForLocation(shortUrl: string, code: string, location: string): Promise<void> {
  const look = { method: 'HEAD', path: () => `/${code}`, headers: {} } as const;
  await waitFor(
    `a redirect to ${location}`,
    async () => (await visit(shortUrl, code, look)).location === location,
    30_000,
  );
}

/**
 * One visit; the redirect is not followed. Asks again while the redirect is too busy to look a code up (503), as its
 * `Retry-After` says.
 */
export async function visit(shortUrl: string, code: string, wanted: VisitRequest): Promise<VisitAnswer> {
  for (let retriesLeft = RETRIES_MAX; ; retriesLeft -= 1) {
    const { retryAfter, ...answer } = await visitOnce(shortUrl, code, wanted);
    if (answer.status !== 503 || retriesLeft === 0) return answer;
    await sleep(Number(retryAfter ?? 0) * 1000);
  }
}

/** Sends one visit. Returns any answer, and does not follow a redirect. */
export function visitOnce(
  shortUrl: string,
  code: string,
  { method, path, headers }: VisitRequest,
): Promise<VisitAnswer & { retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(shortUrl + path(code), { method, headers }, (response) => {
      const { location = '', 'retry-after': retryAfter } = response.headers;
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode!, location, retryAfter }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
