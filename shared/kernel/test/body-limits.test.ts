import type { Deployment } from '@waymark/contract/deployments';
import { META_MAX_BYTES, recordConversion } from '@waymark/contract/conversions';
import { createLink } from '@waymark/contract/links';
import { bodyLimitOf, isServedIn, type RouteDefinition, type ServiceName } from '@waymark/contract/route';
import { ROUTES, type RouteName } from '@waymark/contract/routes';
import { signIn } from '@waymark/contract/users';
import { noContent } from '@waymark/kernel/http/reply';
import { routesOf, SmallService } from '@waymark/testing/small-service';

const KB = 1024;
const MB = 1024 * KB;
/** Every other route takes 4 kB from the public, and 64 kB from callers that are known. */
const LARGER: Partial<Record<RouteName, number>> = {
  'domains.create': MB,
  'domains.update': MB,
  'imports.create': 10 * MB,
  'qr_codes.create': MB,
  'qr_codes.update': MB,
};

test.each(Object.entries<RouteDefinition>(ROUTES))('%s accepts a body of its documented size', (name, route) => {
  const usual = route.access.kind === 'public' ? 4 * KB : 64 * KB;
  expect(bodyLimitOf(route)).toBe(LARGER[name as RouteName] ?? usual);
});

const SERVICES: ServiceName[] = ['auth', 'resource', 'analytics', 'webhook', 'domain', 'audit'];
const CASES = SERVICES.flatMap((service) =>
  (['links', 'qr'] as const).map((deployment): [ServiceName, Deployment] => [service, deployment]),
);

describe.each(CASES)('%s in the %s deployment', (name, deployment) => {
  let service: SmallService;
  beforeAll(async () => {
    service = await SmallService.start({ service: name, deployment, handler: () => Promise.resolve(noContent()) });
  });
  afterAll(() => service.stop());

  test('accepts a body up to the limit of each route, and answers 413 to one byte more', async () => {
    const served = routesOf(name).filter(([, route]) => isServedIn(route, deployment));
    for (const [routeName, route] of served) {
      const limit = bodyLimitOf(route);
      expect([routeName, await service.statusOf(route, bodyOf(limit))]).not.toEqual([routeName, 413]);
      expect([routeName, await service.statusOf(route, bodyOf(limit + 1))]).toEqual([routeName, 413]);
      expect([routeName, await service.statusOf(route, bodyOf(limit + 1), 'chunked')]).toEqual([routeName, 413]);
    }
  });
});

const bodyOf = (bytes: number) => `{${' '.repeat(bytes - 2)}}`;

describe('the body limit of a route fits the largest body that its schema accepts, with every character escaped:', () => {
  const escaped = (text: string) =>
    text.replace(/./gs, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  /** JSON in which each character of each name and text is escaped. */
  function escapedJson(value: unknown): string {
    if (typeof value === 'string') return `"${escaped(value)}"`;
    if (Array.isArray(value)) return `[${value.map(escapedJson).join(',')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return `{${Object.entries(value)
      .map(([name, inner]) => `${escapedJson(name)}:${escapedJson(inner)}`)
      .join(',')}}`;
  }

  test('a link', () => {
    const utm = 'u'.repeat(255);
    const reference = 'r'.repeat(64);
    const body = {
      destination_url: `https://example.com/${'x'.repeat(2048 - 20)}`,
      title: 't'.repeat(255),
      campaign_tag: 'c'.repeat(100),
      utm_defaults: { utm_source: utm, utm_medium: utm, utm_campaign: utm, utm_term: utm, utm_content: utm },
      status: 'archived',
      short_code: 's'.repeat(64),
      domain_id: reference,
      folder_id: reference,
      utm_template_id: reference,
      tag_ids: Array.from({ length: 50 }, () => reference),
    };
    expect(createLink.safeParse(body).success).toBe(true);
    expect(escapedJson(body).length).toBeLessThan(bodyLimitOf(ROUTES['links.create']));
  });

  test('a conversion', () => {
    const body = {
      short_code: 's'.repeat(64),
      id: 'i'.repeat(64),
      source: 's'.repeat(100),
      meta: { m: 'm'.repeat(META_MAX_BYTES - 8) },
      value: 123456789.12,
      currency: 'EUR',
      external_id: 'e'.repeat(255),
      occurred_at: '2026-01-31T12:00:00.000Z',
    };
    expect(recordConversion.safeParse(body).success).toBe(true);
    expect(escapedJson(body).length).toBeLessThan(bodyLimitOf(ROUTES['conversions.record']));
  });

  test('a sign-in, unescaped, in any script', () => {
    const body = { email: '春'.repeat(320), password: '春'.repeat(1024) };
    expect(signIn.safeParse(body).success).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(bodyLimitOf(ROUTES['session.create']));
  });
});
