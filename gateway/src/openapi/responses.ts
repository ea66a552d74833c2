import { z } from 'zod';
import type { oas32, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { isItem } from '@waymark/contract/common';
import { problem } from '@waymark/contract/problem-schema';
import type { RouteDefinition } from '@waymark/contract/route';
import { ROUTES, type RouteName } from '@waymark/contract/routes';
import { changesItem } from '@waymark/kernel/http/conditional';
import { STATUS_OF, type ErrorCode } from '@waymark/kernel/errors';
import { exampleOf } from './examples.js';
import { describeFailure, ERROR_CODES } from './failures.js';
import type { HeaderName } from './headers.js';
import { answerSchema } from './schemas.js';

export { HEADER_COMPONENTS } from './headers.js';

const error = z
  .object({
    code: z.enum(Object.keys(STATUS_OF) as [ErrorCode, ...ErrorCode[]]).describe(ERROR_CODES),
    message: z
      .string()
      .describe(
        'Says to people what is wrong, and may change. For a 422, the first problem and how many more there are.',
      ),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'More for programs, by error. On a 422 the messages by field, or `narrow`, or those of a quota (`reason`, `quota`, ' +
          '`resource`, `limit`, `current`); on a 401 `totp_required`; on a 403 `reauthenticate`, `two_factor_required`, or ' +
          '`entitlement` and `required_plan`; on a 409 `created_id`.',
      ),
    problems: z
      .array(problem)
      .optional()
      .describe('On a 422 only: every message of `details` once more, with a stable code.'),
  })
  .meta({ id: 'ErrorBody', description: 'What is wrong: `code` for programs, `message` for people.' });
const v1Error = z
  .object({ error: error.describe('The error.') })
  .meta({ id: 'ErrorResponse', description: 'Every error under `/api/v1`.' });
const unversionedError = z
  .object({
    message: z.string().describe('The same as `error.message`.'),
    errors: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe('On a 422 only: the messages by field, as in `error.details`.'),
    error: error.describe('The error, as under `/api/v1`.'),
  })
  .meta({ id: 'UnversionedErrorResponse', description: 'Every error of the deprecated routes under `/api`.' });

const DESCRIPTIONS = {
  200: 'The request succeeded; the body has the result.',
  201: 'The body has the new item.',
  202: 'The request is accepted; its work is done in the background.',
  204: 'The request succeeded; there is no body.',
  302: 'The browser is sent on to `Location`.',
} as const;

/** Additional success statuses of a route, with their meaning. */
const ALSO: Partial<Record<RouteName, Readonly<Record<string, string>>>> = {
  'conversions.record': {
    200: 'The `external_id` of this `source` was recorded before; the body has the first record.',
    202: 'The link cannot be looked up now: the conversion is `pending`, and is recorded or rejected later.',
  },
};

/** Describes every status of a route, with its schema and headers. */
export function describeResponses(name: RouteName, route: RouteDefinition, isV1: boolean): ZodOpenApiResponsesObject {
  const success = describeSuccess(name, route, isV1);
  const responses: Record<string, ZodOpenApiResponseObject | oas32.ReferenceObject> = {
    [route.response.status]: success,
  };
  if (route.method === 'GET' && hasEntityTag(route)) {
    const description = '`If-None-Match` names the current version: use your copy. There is no body.';
    const extra: HeaderName[] = name === 'user.show' ? ['ETag', 'X-CSRF-Token'] : ['ETag'];
    responses[304] = { description, headers: headers(isV1, isCounted(route), extra) };
  }
  for (const [status, description] of Object.entries(ALSO[name] ?? {})) responses[status] = { ...success, description };
  const refTo = (failed: Failed) => ({
    $ref: `#/components/responses/${failureName(failed, isV1, isCounted(route))}`,
  });
  for (const code of errorCodesOf(name, route)) responses[STATUS_OF[code]] = refTo(code);
  responses['default'] = refTo(OTHERWISE);
  return responses;
}

function describeSuccess(name: RouteName, route: RouteDefinition, isV1: boolean): ZodOpenApiResponseObject {
  const { status, contentTypes } = route.response;
  const extra: HeaderName[] = [];
  if (name === 'imports.create' || (status === 201 && hasOwnUrl(route))) extra.push('Location');
  if (hasEntityTag(route)) extra.push('ETag');
  if (route.idempotent === true) extra.push('Idempotency-Replayed');
  if (status === 302) extra.push('Location');
  if (route.path === '/session' || status === 302) extra.push('Set-Cookie');
  if (name === 'user.show') extra.push('X-CSRF-Token');
  if (contentTypes?.some((type) => type.startsWith('text/csv'))) extra.push('Content-Disposition');
  if (name === 'analytics.export' || name === 'analytics.qr_export') extra.push('X-Rows-Kept-From');
  return {
    description: DESCRIPTIONS[status],
    headers: headers(isV1, isCounted(route), extra),
    ...contentOf(name, route, isV1),
  };
}

function contentOf(
  name: RouteName,
  { response: { schema, unversionedSchema, contentTypes } }: RouteDefinition,
  isV1: boolean,
): Pick<ZodOpenApiResponseObject, 'content'> {
  if (contentTypes) {
    const text = { schema: { type: 'string' as const } };
    return { content: Object.fromEntries(contentTypes.map((type) => [type, text])) };
  }
  if (!schema) return {};
  const example = exampleOf(name).response;
  const isBare = !isV1 && unversionedSchema !== undefined;
  const shown = isBare
    ? { schema: unversionedSchema, example: (example as { data: unknown }).data }
    : { schema: answerSchema(name), example };
  return { content: { 'application/json': shown } };
}

/** Whether an item that the route creates can be fetched by a path of its own. */
const hasOwnUrl = ({ path }: RouteDefinition): boolean =>
  Object.values<RouteDefinition>(ROUTES).some(
    (route) => route.method === 'GET' && route.path !== path && route.path.replace(/\/\{\w+\}$/, '') === path,
  );

/** Items and images of QR codes have an entity tag. */
const hasEntityTag = ({ response: { schema, contentTypes } }: RouteDefinition): boolean =>
  (schema !== undefined && isItem(schema)) || (contentTypes ?? []).some((type) => type.startsWith('image/'));

/** Routes that change or return one item. */
export const takesConditions = (route: RouteDefinition): boolean =>
  changesItem(route) || (route.method === 'GET' && hasEntityTag(route));

/** Every route may answer with these: they are described once, as `default`. */
const ANYWHERE: readonly ErrorCode[] = [
  'bad_request',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'server_error',
];
const OTHERWISE = 'otherwise';
type Failed = ErrorCode | typeof OTHERWISE;
const OTHER_FAILURES = [
  'Another error:',
  ...ANYWHERE.map((code) => `- ${STATUS_OF[code]} ${describeFailure(code)}`),
].join('\n');

/**
 * Failure responses differ only in their headers, which depend on the version and on whether the rate limit counts the
 * route.
 */
const failureName = (code: Failed, isV1: boolean, counted: boolean): string =>
  [...(isV1 ? [] : ['unversioned']), ...(counted ? [] : ['uncounted']), code].join('_');

/** Whether the rate limit of users counts requests of the route, if only those with a session. */
const isCounted = ({ access }: RouteDefinition): boolean => access.kind !== 'public' || access.session === true;

export const FAILURE_COMPONENTS: Record<string, ZodOpenApiResponseObject> = Object.fromEntries(
  ([...Object.keys(STATUS_OF), OTHERWISE] as Failed[]).flatMap((code) =>
    [true, false].flatMap((isV1) =>
      [true, false].map((counted) => [failureName(code, isV1, counted), failure(code, isV1, counted)]),
    ),
  ),
);

function failure(code: Failed, isV1: boolean, counted: boolean): ZodOpenApiResponseObject {
  // A conflict with an operation in progress has `Retry-After`.
  const isLater = code === 'rate_limit_exceeded' || code === 'service_unavailable' || code === 'conflict';
  return {
    description: code === OTHERWISE ? OTHER_FAILURES : describeFailure(code),
    headers: headers(isV1, counted, ['X-Request-Id', ...(isLater ? (['Retry-After'] as const) : [])]),
    content: { 'application/json': { schema: isV1 ? v1Error : unversionedError } },
  };
}

function headers(isV1: boolean, counted: boolean, extra: HeaderName[]): ZodOpenApiResponseObject['headers'] {
  const names: HeaderName[] = [...extra];
  if (!isV1) names.push('Deprecation', 'Sunset', 'Link');
  if (counted) names.push('RateLimit-Policy', 'RateLimit');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Routes whose body names what may not exist. */
const NAMED_IN_BODY: readonly RouteName[] = ['conversions.record', 'invitations.lookUp', 'invitations.acceptByToken'];
/** Routes that are a 404 in installations without the settings that they need. */
const OPTIONAL: readonly RouteName[] = [
  'user.startTotp',
  'user.confirmTotp',
  'user.requestPasswordReset',
  'session.startOidc',
  'session.finishOidc',
];

/** Any change may get 409, because of a concurrent change or of the current state. */
function errorCodesOf(name: RouteName, route: RouteDefinition): ErrorCode[] {
  if (route.service === 'gateway') return ['validation_failed', 'rate_limit_exceeded'];
  const codes: ErrorCode[] = ['unauthenticated', 'forbidden'];
  const namesSomething = route.path.replace('{workspace}', '').includes('{') || NAMED_IN_BODY.includes(name);
  if (namesSomething || OPTIONAL.includes(name)) codes.push('not_found');
  if (route.method !== 'GET' || name === 'audit_logs.verify') codes.push('conflict');
  codes.push('validation_failed');
  if (takesConditions(route)) codes.push('precondition_failed');
  return [...codes, 'rate_limit_exceeded', 'service_unavailable'];
}
