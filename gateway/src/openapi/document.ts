import { isDeepStrictEqual } from 'node:util';
import {
  createDocument,
  type CreateDocumentOptions,
  type oas32,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
} from 'zod-openapi';
import type { Deployment } from '@waymark/contract/deployments';
import { isServedIn, prefixesOf, V1_PREFIX, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES, type RouteName } from '@waymark/contract/routes';
import { CSRF_HEADER, SESSION_COOKIE } from '@waymark/contract/sessions';
import { AUDIT_ACTIONS } from '@waymark/contract/audit-actions';
import { auditAction } from '@waymark/contract/audit-logs';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import { EVERY } from '@waymark/contract/common';
import { loggedEventType, webhookEventType } from '@waymark/contract/webhooks';
import { VERSION } from '@waymark/kernel/version';
import { describeOperation, TAGS } from './operation.js';
import { FAILURE_COMPONENTS, HEADER_COMPONENTS } from './responses.js';
import { PARTS } from './schemas.js';
import { shareParameters } from './share-parameters.js';
import { describeWebhooks, RECEIVER_COMPONENTS } from './webhooks.js';

const TITLES: Readonly<Record<Deployment, string>> = {
  links: 'Waymark: tracked short links',
  qr: 'Waymark: tracked QR codes',
};

const INTRODUCTION = `
A link, or a QR code in a deployment for QR codes, has a short code. A visit of its short URL, by a click or by a camera, is a
*scan*: it is logged, counted, and sent on to the destination. What a visitor did afterwards, such as a purchase, is a *conversion*, which
your server records.

## Authentication

Every workspace route is served under \`/api/v1\` and, deprecated, under \`/api\`. Programs send a personal access token
(\`Authorization: Bearer wmk_…\`), which is for one workspace. A token acts as the user who minted it: it may do what both its
scope and that user's role allow. Browsers sign in and send a session cookie, and with each change the CSRF token in \`X-CSRF-Token\`.

## Roles

| role | may |
|---|---|
| \`viewer\` | read links, QR codes, folders, tags, templates, imports and domains; record conversions; mint, list and revoke their own tokens |
| \`analyst\` | what a viewer may; read and export analytics |
| \`editor\` | what a viewer may; create and change links and QR codes, import, and manage folders, tags and templates |
| \`admin\` | what an analyst and an editor may; manage members, every token, webhooks and domains; read the audit log |
| \`owner\` | what an admin may; delete links and QR codes, grant and remove the owner role |

Each operation says which roles may call it. For a program, invite a user of its own and mint the token as that user. An editor reads no
figures, and an analyst changes no links: a program that does both takes two users, or an admin.

## Requests

A PATCH changes what it names, \`null\` clears; it is a JSON merge patch (\`application/merge-patch+json\` is taken too). One that changes nothing
is a 200, sends no event, and leaves \`updated_at\`.

Under \`/api/v1\` a query parameter or a body field that the operation does not have is a 422 that names it and the nearest
known one. \`Prefer: handling=lenient\` ignores unknown names instead, as the deprecated routes do. A parameter without a
value (\`?status=\`) is as if it were absent. Where a body repeats a name in an object, the last value counts.

Every answer names its request in \`X-Request-Id\`, which the logs and the audit log have too. The id of an operation never changes:
generated clients may name their functions after it.

## Safe changes

Send an \`Idempotency-Key\` with a POST that takes one, and the same key again when you repeat the request: it takes effect once. A key belongs to the
user, the workspace and the operation, for 24 hours. A refused request (4xx, 503) leaves the key free.

An answer with one item has an \`ETag\`. Send it as \`If-Match\` with a PATCH or DELETE: if the item has changed since, the
answer is a 412 and nothing is lost. What the platform counts, such as \`scans_count\`, does not count as a change here; a new name of one of its
tags does. Lists have no tags: read the item before a change that must not overwrite another. \`If-None-Match\` with a GET answers 304 as long as nothing,
counts included, has changed.

## Errors

Errors are \`{"error": {"code", "message", "details"?, "problems"?}}\`. For invalid input \`details\` has every message by its
field, and \`problems\` lists them once more, each with the \`code\` of what is wrong (\`required\`, \`taken\`, \`too_long\` with
\`params.max\`, …; see \`ProblemCode\`); \`message\` is the first problem and the number of the others. Go by the codes: messages may
change.

Any path may answer with these errors too, which no operation lists: 404 \`not_found\` for a path that does not exist, 405
\`method_not_allowed\` with \`Allow\` for another method of a path that does (it counts toward the limit), 400 \`bad_request\` for a request without
\`Host\`, and 417 \`bad_request\` and 431 \`bad_request\` for an \`Expect\` other than \`100-continue\` and for headers of more than 16 kB. \`OPTIONS\`
answers 204 with \`Allow\`, or 429 once an address has sent thousands in a minute.

## Rate limits

A user may send 120 requests to a workspace in any 60 seconds, with all tokens and sessions together, unless the operator chose another number:
\`RateLimit-Policy: "workspace";q=120;w=60\` says it, and \`RateLimit: "workspace";r=119;t=60\` that \`r\` are left, and in how many seconds the next
one is free. Beyond it an answer is a 429; wait for \`Retry-After\`. Refused requests, and those that are answered with 503, do not count.
\`X-RateLimit-Limit\` and \`X-RateLimit-Remaining\` say the same for older clients.

## Lists

Send \`per_page\`, up to 100. Then follow \`meta.next_cursor\` with \`cursor\` until it is \`null\`: nothing is skipped or repeated when
items are created meanwhile. Pages by number (\`page\`) are for people.

## Short URLs

They are served elsewhere, without this API: an active link is a 302 to its destination that no cache keeps, an archived one a 410 \`gone\`, an
unknown code a 404. \`/q/{short_code}\` is the address in QR codes, whose scans count as \`qr\`. Bots and \`HEAD\` requests are led on and not counted.
`.trim();

const SECURITY_SCHEMES: Record<string, oas32.SecuritySchemeObject> = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A personal access token, `Authorization: Bearer wmk_…`. It works in one workspace, and does what both its abilities ' +
      'and the role of its user allow. `POST …/tokens` mints one; a request with a token ignores the cookie.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'A signed-in browser. `POST /session` sets the cookie, which browsers send over https alone; it works in every ' +
      'workspace of the user.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: CSRF_HEADER,
    description:
      'Required beside the cookie for every change. `POST /session` has it in `meta.csrf_token`, and `GET /user` in the ' +
      'header `X-CSRF-Token`. A token needs none.',
  },
};

interface DocumentOptions {
  /** Also describes the unversioned twins of the routes. */
  deprecated: boolean;
}

/**
 * Builds the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1) of a deployment from the route table and
 * schemas.
 */
export function openApiDocument(deployment: Deployment, options?: DocumentOptions): oas32.OpenAPIObject {
  const document: ZodOpenApiObject = {
    openapi: '3.1.1',
    info: {
      title: TITLES[deployment],
      version: VERSION,
      description: INTRODUCTION,
      contact: { name: 'The operator of this installation' },
      license: { name: 'No licence has been chosen yet', identifier: 'LicenseRef-unlicensed' },
    },
    servers: [{ url: '/', description: 'The installation that serves this document.' }],
    tags: TAGS,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: PARTS,
      headers: HEADER_COMPONENTS,
      responses: { ...FAILURE_COMPONENTS, ...RECEIVER_COMPONENTS },
    },
    paths: pathsOf(deployment, options?.deprecated === true),
    webhooks: describeWebhooks(deployment),
  };
  const created = createDocument(document, { override: overrideFor(deployment) });
  return withoutUnused(shareParameters(JSON.parse(JSON.stringify(created), tidy) as oas32.OpenAPIObject));
}

function pathsOf(
  deployment: Deployment,
  withDeprecated: boolean,
): Record<string, Record<string, ZodOpenApiOperationObject>> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, RouteDefinition][]) {
    if (!isServedIn(route, deployment)) continue;
    for (const prefix of withDeprecated ? prefixesOf(route) : [V1_PREFIX]) {
      (paths[prefix + route.path] ??= {})[route.method.toLowerCase()] = describeOperation(name, route, prefix);
    }
  }
  return paths;
}

/** Clients must tolerate unknown fields. Integers and times are described by their type and format, not by a pattern. */
const overrideFor =
  (deployment: Deployment): CreateDocumentOptions['override'] =>
  ({ jsonSchema, zodSchema }) => {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // Every name in JSON is text.
    if (isDeepStrictEqual(jsonSchema.propertyNames, { type: 'string' })) delete jsonSchema.propertyNames;
    if (jsonSchema.type === 'integer' || jsonSchema.format !== undefined) delete jsonSchema.pattern;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    const types = WEBHOOK_EVENT_TYPES[deployment];
    if (zodSchema === webhookEventType) jsonSchema.enum = [...types];
    if (zodSchema === auditAction) jsonSchema.enum = [...AUDIT_ACTIONS[deployment]];
    if (zodSchema === loggedEventType) jsonSchema.enum = [EVERY, ...types, WEBHOOK_TEST];
    // zod writes it for a list that is readonly in TypeScript: generators would make a second type of what has it.
    delete jsonSchema.readOnly;
  };

/** Completes what the override does not reach: references with a description. A parameter is described once, not in its schema too. */
function tidy(key: string, value: unknown): unknown {
  if (key === 'additionalProperties' && value === false) return undefined;
  if (isParameter(value)) delete value.schema.description;
  return value;
}

const isParameter = (value: unknown): value is { schema: { description?: string } } =>
  typeof value === 'object' && value !== null && 'in' in value && 'schema' in value;

/** Removes the components that only the other deployment or the deprecated routes use, and what only these use. */
function withoutUnused(document: oas32.OpenAPIObject): oas32.OpenAPIObject {
  const { securitySchemes, ...kinds } = document.components ?? {};
  const text = JSON.stringify(document);
  const used = Object.entries(kinds).map(([kind, all]): [string, object] => [
    kind,
    Object.fromEntries(
      Object.entries(all as object).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    ),
  ]);
  const left = { ...document, components: { securitySchemes, ...Object.fromEntries(used) } };
  return JSON.stringify(left) === text ? left : withoutUnused(left);
}
