import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { z } from 'zod';
import type { RouteDefinition } from '@waymark/contract/route';
import { ROUTES, type RouteName } from '@waymark/contract/routes';
import { WEBHOOK_EVENT_TYPES } from '@waymark/contract/webhook-events';
import { openApiDocument } from '@waymark/gateway/openapi/document';
import { documentFile } from '@waymark/gateway/openapi/document-file';
import { exampleOf } from '@waymark/gateway/openapi/examples';
import { answerSchema, bodySchema } from '@waymark/gateway/openapi/schemas';
import { DEPLOYMENTS, isServed, POLICIES, PREFIXES, type Policy } from './authorization-table.js';

const RULES = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'operation-operationId-unique': 'error',
  'operation-parameters-unique': 'error',
  'path-parameters-defined': 'error',
  'security-defined': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-identical-paths': 'error',
  'tags-alphabetical': 'off',
  'operation-summary': 'error',
} as const;

/** Filters of analytics in both deployments. */
const FILTERS = 'country region city browser os referrer device campaign';

const DOMAIN_SETTINGS = 'root_url not_found_url expired_url indexable apple_app_site_association assetlinks';

/** Query parameters and body fields of the API specification, listed by hand. */
const FIELDS: [deployments: string, method: string, path: string, query: string, body: string][] = [
  ['links,qr', 'post', '/tokens', '', 'name scope'],
  ['links', 'get', '/links', 'status per_page updated_since sort cursor', ''],
  ['links', 'post', '/links/bulk', '', 'ids action folder_id tag_ids'],
  ['qr', 'post', '/qr-codes/bulk', '', 'ids action'],
  ['links', 'get', '/links/export', 'status search folder_id tag_id campaign domain_id updated_since sort', ''],
  ['qr', 'get', '/qr-codes/export', 'status search campaign updated_since sort', ''],
  ['links', 'get', '/analytics/links', 'ids days timezone include_bots', ''],
  ['qr', 'get', '/analytics/qr-codes', 'ids days timezone include_bots', ''],
  ['links', 'patch', '/links/{id}', '', 'title destination_url campaign_tag utm_defaults status'],
  ['qr', 'get', '/qr-codes', 'status per_page updated_since sort cursor', ''],
  ['links,qr', 'get', '/members', 'updated_since sort page per_page', ''],
  ['qr', 'patch', '/qr-codes/{id}', '', 'title destination_url campaign_tag utm_defaults status'],
  ['links', 'post', '/conversions', '', 'short_code id source meta'],
  ['links', 'get', '/conversions', 'link_id source from to updated_since sort cursor', ''],
  ['links', 'get', '/analytics/summary', `start_date end_date link_id trigger interval compare ${FILTERS}`, ''],
  ['links', 'get', '/analytics/scans', `start_date end_date link_id trigger page per_page cursor ${FILTERS}`, ''],
  ['links', 'get', '/analytics/breakdown', `dimension limit start_date end_date link_id trigger ${FILTERS}`, ''],
  ['links', 'get', '/analytics/breakdowns', `dimensions limit start_date end_date link_id trigger ${FILTERS}`, ''],
  ['qr', 'get', '/analytics/breakdowns', `dimensions limit start_date end_date qr_code_id ${FILTERS}`, ''],
  ['links', 'get', '/analytics/conversions/breakdowns', 'dimensions limit start_date end_date timezone link_id campaign source domain_id tag_id folder_id', ''], // prettier-ignore
  ['qr', 'get', '/analytics/summary', `start_date end_date qr_code_id interval compare ${FILTERS}`, ''],
  ['qr', 'get', '/analytics/scans', `start_date end_date qr_code_id page per_page cursor ${FILTERS}`, ''],
  ['links,qr', 'get', '/audit-logs', 'action actor target request_id from to', ''],
  ['links,qr', 'get', '/audit-logs/export', 'action actor target request_id from to', ''],
  ['links,qr', 'post', '/webhooks', '', 'url description event_types enabled'],
  ['links,qr', 'patch', '/webhooks/{id}', '', 'url description event_types enabled rotate_secret'],
  ['links', 'get', '/webhooks/{id}/deliveries', 'page status event_type link_id from to', ''],
  ['qr', 'get', '/webhooks/{id}/deliveries', 'page status event_type qr_code_id from to', ''],
  ['links,qr', 'post', '/webhooks/{id}/replay', '', 'from to event_types'],
  ['links', 'post', '/domains', '', `hostname ${DOMAIN_SETTINGS}`],
  ['links', 'patch', '/domains/{id}', '', DOMAIN_SETTINGS],
];

describe.each(DEPLOYMENTS)('the document of the %s deployment', (deployment) => {
  const document = openApiDocument(deployment);
  const complete = openApiDocument(deployment, { deprecated: true });
  const operations = operationsOf(document);
  const resolve = (value: any): any =>
    value?.$ref
      ? value.$ref
          .split('/')
          .slice(1)
          .reduce((found: any, key: string) => found[key], document)
      : value;
  const parametersOf = (operation: any): any[] => (operation.parameters ?? []).map(resolve);
  const bodyOf = (operation: any): any => resolve(operation.requestBody?.content['application/json'].schema) ?? {};
  const operationAt = (method: string, path: string) =>
    operations.find((each) => each.method === method && each.path === path)?.operation;

  test('is the one in docs/api: npm run openapi', () => {
    const file = readFileSync(join(__dirname, `../../docs/api/${deployment}.openapi.json`), 'utf8');
    const written = documentFile(deployment);
    expect(file === written).toBe(true);
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('is valid OpenAPI 3.1, its examples too', async () => {
    const config = await createConfig({ rules: RULES });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
    expect(document.openapi).toBe('3.1.1');
    const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8'));
    expect(document.info.version).toBe(version);
  });

  test('is small enough to be read as a whole', () => {
    expect(JSON.stringify(document).length).toBeLessThanOrEqual(450_000);
  });

  test('names every body, answer and error, so that generated clients do', () => {
    const isNamed = (content: any) =>
      Object.entries<any>(content ?? {}).every(([type, { schema }]) => !type.endsWith('json') || '$ref' in schema);
    const unnamed = operations.filter(
      ({ operation }) =>
        !isNamed(operation.requestBody?.content) ||
        !Object.values(operation.responses).every((response) => isNamed(resolve(response).content)),
    );
    expect(unnamed.map(({ operation }) => operation.operationId)).toEqual([]);
    expect(Object.keys(document.components!.schemas!)).toEqual(
      expect.arrayContaining(
        deployment === 'links' ? ['LinkCreate', 'LinkPage', 'Problem'] : ['QrCodeCreate', 'QrCodePage'],
      ),
    );
  });

  test('gives a name to one shape only', () => {
    const shapeOf = (schema: z.ZodType, io: 'input' | 'output') => {
      const { $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      const { type, properties, required } = ($defs[schema.meta()?.id ?? ''] ?? json) as Record<string, unknown>;
      return { type, properties, required };
    };
    for (const [name, { body, response }] of Object.entries(ROUTES) as [RouteName, RouteDefinition][]) {
      if (body) expect([name, shapeOf(bodySchema(name), 'input')]).toEqual([name, shapeOf(body, 'input')]);
      const { schema } = response;
      if (schema) expect([name, shapeOf(answerSchema(name), 'output')]).toEqual([name, shapeOf(schema, 'output')]);
    }
  });

  test('has exactly the operations of the requirement documents and our decisions', () => {
    const shapeOf = (method: string, path: string) =>
      `${method.toUpperCase()} ${path.replace(/\{(?!workspace\})\w+\}/g, '{id}')}`;
    const byHand = POLICIES.flatMap((policy) =>
      PREFIXES.filter((prefix) => isServed(policy, deployment, prefix)).map((prefix) =>
        shapeOf(policy.method, prefix + policy.path),
      ),
    );
    expect(
      operationsOf(complete)
        .map(({ method, path }) => shapeOf(method, path))
        .sort(),
    ).toEqual(byHand.sort());
    const current = byHand.filter((shape) => shape.includes(' /api/v1/'));
    expect(operations.map(({ method, path }) => shapeOf(method, path)).sort()).toEqual(current.sort());
  });

  test('tells of every webhook of the deployment', () => {
    expect(Object.keys(document.webhooks!).sort()).toEqual([...WEBHOOK_EVENT_TYPES[deployment], 'webhook.test'].sort());
  });

  test('lists the event types that an endpoint may subscribe to', () => {
    const operation = operationAt('post', '/api/v1/workspaces/{workspace}/webhooks');
    expect(resolve(bodyOf(operation).properties.event_types.items).enum).toEqual(WEBHOOK_EVENT_TYPES[deployment]);
    const deliveries = operationAt('get', '/api/v1/workspaces/{workspace}/webhooks/{id}/deliveries');
    const filter = parametersOf(deliveries).find(({ name }) => name === 'event_type');
    expect(resolve(filter.schema).enum).toEqual(['all', ...WEBHOOK_EVENT_TYPES[deployment], 'webhook.test']);
  });

  test('has a cursor for each list without a cap', () => {
    const lists = operations.filter(({ method }) => method === 'get');
    const withCursor = lists.filter(({ operation }) => parametersOf(operation).some(({ name }) => name === 'cursor'));
    const own = deployment === 'links' ? ['conversions', 'links'] : ['qr-codes'];
    const paths = ['analytics/filters', 'analytics/scans', 'audit-logs', 'webhooks/{id}/deliveries', ...own];
    expect(withCursor.map(({ path }) => path.replace('/api/v1/workspaces/{workspace}/', '')).sort()).toEqual(
      paths.sort(),
    );
    for (const { operation } of withCursor) {
      const { properties } = resolve(operation.responses['200'].content['application/json'].schema);
      expect(resolve(properties.meta).required).toContain('next_cursor');
    }
  });

  test('says how soon visitors get a change, as the tutorial does', () => {
    const content = deployment === 'links' ? 'links' : 'qr-codes';
    const soon = '25 ms in the median and 250 ms in 99 of 100 cases';
    const { description } = operationAt('post', `/api/v1/workspaces/{workspace}/${content}`);
    expect(description).toContain(soon);
    expect(readFileSync(join(__dirname, '../../docs/tutorial.md'), 'utf8')).toContain(soon);
  });

  test('lists the actions by which the audit log can be filtered', () => {
    const filter = parametersOf(operationAt('get', '/api/v1/workspaces/{workspace}/audit-logs')).find(
      ({ name }) => name === 'action',
    );
    const [own, other] = deployment === 'links' ? ['link', 'qr_code'] : ['qr_code', 'link'];
    expect(resolve(filter.schema).enum).toEqual(
      expect.arrayContaining([`${own}.created`, `${own}.*`, 'token.refused', 'member.*']),
    );
    expect(resolve(filter.schema).enum).not.toContain(`${other}.created`);
  });

  test('says of each who may call it', () => {
    const wrong = operations.filter(({ method, path, operation }) => {
      const policy = policyAt(method, path);
      return JSON.stringify(operation.security) !== JSON.stringify(securityBy(policy)) || !saysRoles(policy, operation);
    });
    expect(wrong.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  function policyAt(method: string, path: string): Policy {
    const pattern = (text: string) => text.replace(/\{(?!workspace\})\w+\}/g, '{id}');
    const [prefix] = PREFIXES.filter((each) => path.startsWith(each)).sort((a, b) => b.length - a.length);
    return POLICIES.find(
      (policy) =>
        policy.method.toLowerCase() === method &&
        policy.deployments.includes(deployment) &&
        pattern(policy.path) === pattern(path.slice(prefix!.length)),
    )!;
  }

  test('tells limits and errors of every workspace route', () => {
    for (const { path, operation } of operationsOf(complete).filter((each) => each.path.includes('{workspace}'))) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403', '429', '503', 'default']));
      const [success] = Object.values<any>(operation.responses);
      expect(Object.keys(success.headers)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
      expect([path, Boolean(operation.deprecated)]).toEqual([path, !path.startsWith('/api/v1/')]);
    }
  });

  test('only what is patched may be sent as a merge patch', () => {
    const types = operations.map(({ method, operation }) => [
      method.toLowerCase(),
      Object.keys(operation.requestBody?.content ?? {}),
    ]);
    for (const [method, sent] of types) {
      if (sent!.length === 0) continue;
      expect(sent).toEqual(['application/json', ...(method === 'patch' ? ['application/merge-patch+json'] : [])]);
    }
    expect(types.filter(([method]) => method === 'patch').length).toBeGreaterThan(3);
  });

  test.each(FIELDS.filter(([deployments]) => deployments.split(',').includes(deployment)))(
    '%s: %s %s has what the requirement documents name',
    (_deployments, method, path, query, body) => {
      const operation = operationAt(method, `/api/v1/workspaces/{workspace}${path}`);
      const parameters = parametersOf(operation).filter((each) => each.in === 'query');
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(query.split(' ').filter(Boolean)));
      expect(Object.keys(bodyOf(operation).properties ?? {})).toEqual(
        expect.arrayContaining(body.split(' ').filter(Boolean)),
      );
    },
  );
});

function operationsOf(document: ReturnType<typeof openApiDocument>) {
  return Object.entries(document.paths!).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, any>).map(([method, operation]) => ({ method, path, operation })),
  );
}

function securityBy({ access, method }: Policy): Record<string, string[]>[] {
  const session: Record<string, string[]> = method === 'GET' ? { session: [] } : { session: [], csrf: [] };
  if (access === 'public') return [];
  if (access === 'anyone') return [{}, session];
  return access === 'session' || access === 'own' ? [session] : [{ token: [] }, session];
}

function saysRoles({ access, roles }: Policy, { description }: { description: string }): boolean {
  if (access !== 'read' && access !== 'write') return true;
  const last = roles.at(-1);
  const named = roles.length === 1 ? last : `${roles.slice(0, -1).join(', ')} or ${last}`;
  const sentence = roles.length === 5 ? 'Every role may call it.' : `Requires the role ${named}.`;
  return description.includes(`Requires the ability \`${access}\`.`) && description.includes(sentence);
}

test.each(Object.entries(ROUTES) as [RouteName, RouteDefinition][])('%s is shown as it is', (name, route) => {
  const { body, response } = exampleOf(name);
  const problems = (schema: z.ZodType | undefined, value: unknown) =>
    schema ? (schema.safeParse(value).error?.issues ?? []) : [];
  expect(problems(route.body, body)).toEqual([]);
  expect(problems(route.response.schema, response)).toEqual([]);
  expect([body !== undefined, response !== undefined]).toEqual([
    route.body !== undefined,
    route.response.schema !== undefined,
  ]);
});
