import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

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

/** One visit; the redirect is not followed. */
export function visit(
  shortUrl: string,
  code: string,
  { method, path, headers }: Pick<Visit, 'method' | 'path' | 'headers'>,
): Promise<{ status: number; location: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(shortUrl + path(code), { method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode!, location: response.headers.location ?? '' }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
