import { z } from 'zod';
import type { oas32, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { isItem } from '@waymark/contract/common';
import { problem } from '@waymark/contract/problem-schema';
import type { RouteDefinition } from '@waymark/contract/route';
import type { RouteName } from '@waymark/contract/routes';
import { changesItem } from '@waymark/kernel/http/conditional';
import { STATUS_OF, type ErrorCode } from '@waymark/kernel/errors';
import { exampleOf } from './examples.js';
import { answerSchema } from './schemas.js';

const error = z
  .object({
    code: z.enum(Object.keys(STATUS_OF) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().meta({ description: 'For a 422, the first problem and how many more there are.' }),
    details: z.record(z.string(), z.unknown()).optional(),
    problems: z
      .array(problem)
      .optional()
      .meta({ description: 'On a 422: every message of `details` once more, with a stable code.' }),
  })
  .meta({ id: 'Error' });
const v1Error = z.object({ error }).meta({ id: 'ErrorResponse' });
const unversionedError = z
  .object({ message: z.string(), errors: z.record(z.string(), z.array(z.string())).optional(), error })
  .meta({ id: 'UnversionedErrorResponse' });

const HEADERS = {
  'X-Request-Id': 'Names the request in logs and in the audit log.',
  Deprecation: 'Since when the unversioned route is deprecated (RFC 9745).',
  Sunset: 'From when on the unversioned route may be gone (RFC 8594); absent until that is known.',
  Link: 'The versioned route that succeeds this one.',
  Location: 'Where it can be fetched.',
  ETag: 'The version of the item, for `If-Match` and `If-None-Match`.',
  'Set-Cookie': 'The session.',
  'X-CSRF-Token': 'What every change of this session must send. Absent for a token.',
  'Content-Disposition': 'A name for the file.',
  'Preference-Applied': 'The preference that was honoured, e.g. `handling=lenient` (RFC 7240).',
  'Idempotency-Replayed': '`true` on a repeated answer.',
  'RateLimit-Policy': 'Requests in how many seconds, e.g. `"workspace";q=120;w=60`.',
  RateLimit: 'What is left, and for how many seconds, e.g. `"workspace";r=119;t=60`.',
  'X-RateLimit-Limit': 'Requests in any minute.',
  'X-RateLimit-Remaining': 'Requests that are left in this one.',
  'X-Rows-Kept-From': 'The first day (UTC) whose rows are kept. Absent while all are.',
  'Retry-After': 'Whole seconds.',
} as const;
type HeaderName = keyof typeof HEADERS;

export const HEADER_COMPONENTS: Record<string, oas32.HeaderObject> = Object.fromEntries(
  Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
);

const DESCRIPTIONS = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: it is done later.',
  204: 'Done; no body.',
  302: 'The browser is sent on.',
} as const;

/** Additional success statuses of a route, with their meaning. */
const ALSO: Partial<Record<RouteName, Readonly<Record<string, string>>>> = {
  'conversions.record': {
    200: 'The `external_id` of this `source` was recorded before: the first record.',
    202: 'The link cannot be looked up now: the conversion is pending, and is recorded or rejected later.',
  },
};

/** Describes every status of a route, with its schema and headers. */
export function describeResponses(name: RouteName, route: RouteDefinition, isV1: boolean): ZodOpenApiResponsesObject {
  const success = describeSuccess(name, route, isV1);
  const responses: Record<string, ZodOpenApiResponseObject | oas32.ReferenceObject> = {
    [route.response.status]: success,
  };
  if (route.method === 'GET' && hasEntityTag(route)) {
    const description = 'The item is the one that `If-None-Match` names; no body.';
    const extra: HeaderName[] = name === 'user.show' ? ['ETag', 'X-CSRF-Token'] : ['ETag'];
    responses[304] = { description, headers: headers(isV1, isCounted(route), extra) };
  }
  for (const [status, description] of Object.entries(ALSO[name] ?? {})) responses[status] = { ...success, description };
  for (const code of errorCodesOf(name, route)) {
    responses[STATUS_OF[code]] = { $ref: `#/components/responses/${failureName(code, isV1, isCounted(route))}` };
  }
  return responses;
}

function describeSuccess(name: RouteName, route: RouteDefinition, isV1: boolean): ZodOpenApiResponseObject {
  const { status, contentTypes } = route.response;
  const extra: HeaderName[] = [];
  if ((status === 201 || status === 202) && route.response.schema) extra.push('Location');
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

/** Items and images of QR codes have an entity tag. */
const hasEntityTag = ({ response: { schema, contentTypes } }: RouteDefinition): boolean =>
  (schema !== undefined && isItem(schema)) || (contentTypes ?? []).some((type) => type.startsWith('image/'));

/** Routes that change or return one item. */
export const takesConditions = (route: RouteDefinition): boolean =>
  changesItem(route) || (route.method === 'GET' && hasEntityTag(route));

/**
 * Failure responses differ only in their headers, which depend on the version and on whether the rate limit counts the
 * route.
 */
const failureName = (code: ErrorCode, isV1: boolean, counted: boolean): string =>
  [...(isV1 ? [] : ['unversioned']), ...(counted ? [] : ['uncounted']), code].join('_');

/** Whether the rate limit of users counts requests of the route, if only those with a session. */
const isCounted = ({ access }: RouteDefinition): boolean => access.kind !== 'public' || access.session === true;

export const FAILURE_COMPONENTS: Record<string, ZodOpenApiResponseObject> = Object.fromEntries(
  (Object.keys(STATUS_OF) as ErrorCode[]).flatMap((code) =>
    [true, false].flatMap((isV1) =>
      [true, false].map((counted) => [failureName(code, isV1, counted), failure(code, isV1, counted)]),
    ),
  ),
);

function failure(code: ErrorCode, isV1: boolean, counted: boolean): ZodOpenApiResponseObject {
  // A conflict with an operation in progress has `Retry-After`.
  const isLater = code === 'rate_limit_exceeded' || code === 'service_unavailable' || code === 'conflict';
  return {
    description: `\`${code}\``,
    headers: headers(isV1, counted, isLater ? ['Retry-After'] : []),
    content: { 'application/json': { schema: isV1 ? v1Error : unversionedError } },
  };
}

function headers(isV1: boolean, counted: boolean, extra: HeaderName[]): ZodOpenApiResponseObject['headers'] {
  const names: HeaderName[] = ['X-Request-Id', 'Preference-Applied', ...extra];
  if (!isV1) names.push('Deprecation', 'Sunset', 'Link');
  if (counted) names.push('RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining');
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

/**
 * Any change may get 409, because of a concurrent change or of the current state. Routes without a body may get the
 * errors of bodies too: the gateway and the services check a body that is sent by mistake.
 */
function errorCodesOf(name: RouteName, route: RouteDefinition): ErrorCode[] {
  if (route.service === 'gateway') {
    return ['bad_request', 'payload_too_large', 'validation_failed', 'rate_limit_exceeded', 'server_error'];
  }
  const codes: ErrorCode[] = ['bad_request', 'unauthenticated', 'forbidden'];
  const namesSomething = route.path.replace('{workspace}', '').includes('{') || NAMED_IN_BODY.includes(name);
  if (namesSomething || OPTIONAL.includes(name)) codes.push('not_found');
  if (route.method !== 'GET' || name === 'audit_logs.verify') codes.push('conflict');
  codes.push('request_timeout', 'payload_too_large', 'unsupported_media_type', 'validation_failed');
  if (takesConditions(route)) codes.push('precondition_failed');
  return [...codes, 'rate_limit_exceeded', 'server_error', 'service_unavailable'];
}
