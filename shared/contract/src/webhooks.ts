import { z } from 'zod';
import {
  boundedList,
  cursorPage,
  cursorPaging,
  description,
  EVERY,
  item,
  listOrPage,
  optionalPage,
  selector,
  timestamp,
  wordSelector,
} from './common.js';
import { atOrAfter, atOrBefore, dateOrTime } from './date-or-time.js';
import { asIssue, tooMany, urlInvalid } from './problems.js';
import { ADMINISTRATORS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { httpUrl } from './url.js';

const NAME_MAX = 253;

export const webhookUrl = httpUrl('url').refine(
  isCallable,
  asIssue(urlInvalid('url', 'have a host name and a port that webhooks may use')),
);

/** With a host that a name server can know, and a port that can be open. */
function isCallable(text: string): boolean {
  const { hostname, port } = URL.parse(text)!;
  return port !== '0' && hostname.replace(/\.$/, '').length <= NAME_MAX;
}

/** Which types there are depends on the deployment: the service checks them, and OpenAPI lists them. */
export const webhookEventType = z
  .string({ error: 'The event_types must be texts.' })
  .max(64, 'The event_types must be at most 64 characters each.')
  .describe('A type of event that an endpoint may subscribe to.');
const eventTypes = boundedList(webhookEventType, {
  error: ({ input }) => (input === undefined ? 'The event_types are required.' : 'The event_types must be a list.'),
  min: [1, 'The event_types must name at least one event.'],
  max: [50, tooMany('event_types', 50, 'events')],
});
const flag = (name: string) => z.boolean({ error: `The ${name} must be true or false.` });

const URL_RULES =
  'An https URL (or http, where the operator allows it) at a public address: at most 2,048 characters, without credentials, with port 80, 443 or one from 1024 on.';
const TYPES_RULES = 'The events to send, 1 to 50; repeated ones count once.';
const TEXT_RULES = 'Text for people, at most 255 characters; line breaks are allowed.';

export const createWebhook = z.object({
  url: webhookUrl.describe(`Where events are sent by POST. ${URL_RULES}`),
  description: description.nullish().describe(`${TEXT_RULES} None by default.`),
  event_types: eventTypes.describe(TYPES_RULES),
  enabled: flag('enabled').default(true).describe('Whether events are sent to it; `true` by default.'),
});

export const updateWebhook = z
  .object({
    url: webhookUrl.describe(`Where events are sent from now on. ${URL_RULES}`),
    description: description.nullable().describe(`${TEXT_RULES} \`null\` removes it.`),
    event_types: eventTypes.describe(`${TYPES_RULES} For later events; deliveries that are pending are still sent.`),
    enabled: flag('enabled').describe(
      '`false` drops pending deliveries and later events; `true` makes the endpoint `healthy` again, for events from now on.',
    ),
    rotate_secret: flag('rotate_secret').describe(
      '`true` makes a new `meta.signing_secret`; the old one signs as well for 24 hours. A 422 while five old ones do.',
    ),
  })
  .partial();
export type UpdateWebhookBody = z.infer<typeof updateWebhook>;

export const webhook = z
  .object({
    id: z.string().describe('Unique id, beginning with `whk_`.'),
    url: z.string().describe('Where events are sent by POST.'),
    description: z.string().nullable().describe('Text for people; `null` when there is none.'),
    event_types: z.array(z.string()).describe('The events that are sent.'),
    enabled: z
      .boolean()
      .describe(
        'Whether events are sent. Becomes `false` by itself after a 410, and when all attempts have failed for 5 days.',
      ),
    status: z
      .enum(['healthy', 'failing', 'disabled'])
      .describe('`failing`: the last attempt, tests aside, has failed. `disabled`: `enabled` is `false`.'),
    consecutive_failures: z
      .number()
      .int()
      .describe(
        'Attempts that have failed since the last success, or since it was enabled; failed tests do not count.',
      ),
    created_at: timestamp.describe('When it was created, in UTC.'),
    updated_at: timestamp.describe('When it was last changed or disabled, in UTC; attempts do not change it.'),
  })
  .describe('A webhook endpoint: a URL to which events of the workspace are sent.');
export type WebhookBody = z.infer<typeof webhook>;

export const deliveryErrorType = z.enum(['http_error', 'timeout', 'dns', 'tls', 'connection', 'blocked']);
export type DeliveryErrorType = z.infer<typeof deliveryErrorType>;

const attemptStatus = z.enum(['succeeded', 'failed', 'pending']);

const STATUS = '`succeeded`: a 2xx within 15 seconds. `pending`: scheduled, or being sent.';
const deliveredEvent = {
  event_id: z.string().describe('Id of the event, beginning with `evt_`: the `webhook-id` of every attempt.'),
  event_type: z.string().describe('Type of the event, such as `scan.logged` or `webhook.test`.'),
};

export const deliveryAttempt = z
  .object({
    id: z.string().describe('Unique id of this attempt, beginning with `att_`.'),
    delivery_id: z
      .string()
      .describe('Id of the delivery, beginning with `dlv_`: all attempts to send this event to this endpoint.'),
    ...deliveredEvent,
    attempt_number: z.number().int().describe('1 for the first attempt of the delivery; at most 200.'),
    status: attemptStatus.describe(STATUS),
    status_code: z.number().int().nullable().describe('HTTP status of the response; `null` without a response.'),
    error: z
      .object({
        type: deliveryErrorType.describe(
          '`http_error`: not a 2xx. `dns`: no public address. `connection`: refused, broken off, or not HTTP. `blocked`: not sent.',
        ),
        message: z.string().describe('What happened, for people; with the beginning of a response that is text.'),
      })
      .nullable()
      .describe('Why the attempt failed; `null` unless it has.'),
    duration_ms: z
      .number()
      .int()
      .nullable()
      .describe('Milliseconds until the head of the response, or the failure; `null` for one that was not sent.'),
    created_at: timestamp.describe('When the attempt was scheduled, or requested, in UTC; lists are sorted by it.'),
    attempted_at: timestamp
      .nullable()
      .describe('When it was sent, in UTC; `null` while it is pending, and if it never was.'),
    next_retry_at: timestamp
      .nullable()
      .describe(
        'When the attempt after a failed one was or is due, or a pending repetition itself; `null` when there is none. An attempt by hand may have come before it.',
      ),
  })
  .describe('One attempt to send an event to a webhook endpoint.');
export type DeliveryAttemptBody = z.infer<typeof deliveryAttempt>;

const linkId = {
  link_id: z.string().nullable().describe('Id of the link of the event; `null` when it is about none.'),
};
const qrCodeId = {
  qr_code_id: z.string().nullable().describe('Id of the QR code of the event; `null` when it is about none.'),
};
const ROW = 'One attempt to send an event to a webhook endpoint, and what the event is about.';
export const deliveryRow = deliveryAttempt.extend(linkId).describe(ROW);
export const qrDeliveryRow = deliveryAttempt.extend(qrCodeId).describe(ROW);

const receivedResponse = z.object({
  headers: z
    .record(z.string(), z.string())
    .describe('Up to 30 headers by name in small letters, 128 characters of each; secrets are `[redacted]`.'),
  body: z
    .string()
    .nullable()
    .describe('First kilobyte of a body that is text, secrets `[redacted]`; `null` for no body or another kind.'),
  body_omitted: z
    .literal('not text')
    .nullable()
    .optional()
    .describe('`not text` where there was a body that is not shown, else `null`; absent in rows of 0.1.0.'),
  is_truncated: z.boolean().describe('Whether there was more of the body, or there were more headers.'),
});
export type ReceivedResponse = z.infer<typeof receivedResponse>;

const DELIVERY = 'All attempts to send one event to one webhook endpoint.';
export const delivery = z
  .object({
    id: z.string().describe('Unique id, beginning with `dlv_`.'),
    ...deliveredEvent,
    ...linkId,
    status: attemptStatus.describe(`That of the latest attempt. ${STATUS}`),
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Body that every attempt sends; `null` where it is not stored.'),
    attempts: z
      .array(
        deliveryAttempt.extend({
          response: receivedResponse
            .nullable()
            .describe('What the endpoint answered; `null` without a response, and while the attempt is pending.'),
        }),
      )
      .describe('The attempts of the last 30 days, the newest first.'),
  })
  .describe(DELIVERY);
export const qrDelivery = delivery.omit({ link_id: true }).extend(qrCodeId).describe(DELIVERY);

/** The types that an endpoint may subscribe to, and `webhook.test`. */
export const loggedEventType = z
  .string({ error: 'The event_type must be given once.' })
  .max(64, 'The event_type must be at most 64 characters.');

const deliveryFilters = z.object({
  status: wordSelector('status', attemptStatus.options).describe(
    'Only attempts with this status. Omit it, or pass `all`, for every one.',
  ),
  event_type: loggedEventType
    .transform((type) => (type === EVERY ? undefined : type))
    .optional()
    .describe('Only deliveries of events of this type. Omit it, or pass `all`, for every type.'),
  from: dateOrTime('from').optional().describe(atOrAfter('Only attempts that were scheduled')),
  to: dateOrTime('to').optional().describe(atOrBefore('Only attempts that were scheduled')),
  ...cursorPaging,
});
const linkDeliveries = deliveryFilters.extend({
  link_id: selector('link_id', 64).describe(
    'Only deliveries of events about the link with this id. Omit it, or pass `all`, for every one.',
  ),
});
const qrDeliveries = deliveryFilters.extend({
  qr_code_id: selector('qr_code_id', 64).describe(
    'Only deliveries of events about the QR code with this id. Omit it, or pass `all`, for every one.',
  ),
});
export type DeliveryFilters = z.output<typeof linkDeliveries> | z.output<typeof qrDeliveries>;

export const REPLAY_MAX = 10_000;
export const replayDeliveries = z.object({
  from: dateOrTime('from').describe(atOrAfter('Events that happened')),
  to: dateOrTime('to').describe(atOrBefore('Events that happened')),
  event_types: eventTypes.nullish().describe('Types of these events, 1 to 50; every type by default, but never tests.'),
});
export type ReplayDeliveriesBody = z.infer<typeof replayDeliveries>;

export const replay = z
  .object({
    deliveries: z.number().int().describe(`Deliveries that are sent again, at most ${REPLAY_MAX}; 0 starts nothing.`),
    from: timestamp.describe('Time of the first events, in UTC.'),
    to: timestamp.describe('Time of the last events, in UTC: at the latest that of the request.'),
    event_types: z.array(z.string()).nullable().describe('Types of the events; `null` for every type.'),
  })
  .describe('What a replay sends again.');

const signingSecret = z
  .object({
    signing_secret: z
      .string()
      .describe('`whsec_` and the base64 of the key that signs each request (Standard Webhooks); shown only here.'),
  })
  .describe('What is shown once: a new secret.');

const path = '/workspaces/{workspace}/webhooks';
const read = { kind: 'workspace', ability: 'read', roles: ADMINISTRATORS } as const;
const write = { kind: 'workspace', ability: 'write', roles: ADMINISTRATORS } as const;

export const webhookRoutes = {
  'webhooks.list': {
    method: 'GET',
    path,
    service: 'webhook',
    access: read,
    query: optionalPage,
    response: { status: 200, schema: listOrPage(webhook) },
  },
  'webhooks.create': {
    method: 'POST',
    path,
    service: 'webhook',
    access: write,
    body: createWebhook,
    idempotent: 'secret',
    response: { status: 201, schema: item(webhook, signingSecret) },
  },
  'webhooks.show': {
    method: 'GET',
    path: `${path}/{id}`,
    service: 'webhook',
    access: read,
    response: { status: 200, schema: item(webhook) },
  },
  'webhooks.update': {
    method: 'PATCH',
    path: `${path}/{id}`,
    service: 'webhook',
    access: write,
    body: updateWebhook,
    response: {
      status: 200,
      schema: item(webhook, signingSecret.optional().describe('Only after `rotate_secret`: the new secret.')),
    },
  },
  'webhooks.delete': {
    method: 'DELETE',
    path: `${path}/{id}`,
    service: 'webhook',
    access: read,
    response: { status: 204 },
  },
  'webhooks.test': {
    method: 'POST',
    path: `${path}/{id}/test`,
    service: 'webhook',
    access: write,
    idempotent: true,
    response: { status: 202, schema: item(deliveryAttempt) },
  },
  'webhooks.deliveries': {
    method: 'GET',
    path: `${path}/{id}/deliveries`,
    deployments: ['links'],
    service: 'webhook',
    access: read,
    query: linkDeliveries,
    response: { status: 200, schema: cursorPage(deliveryRow) },
  },
  'webhooks.qr_deliveries': {
    method: 'GET',
    path: `${path}/{id}/deliveries`,
    deployments: ['qr'],
    service: 'webhook',
    access: read,
    query: qrDeliveries,
    response: { status: 200, schema: cursorPage(qrDeliveryRow) },
  },
  'webhooks.delivery': {
    method: 'GET',
    path: `${path}/{id}/deliveries/{delivery}`,
    deployments: ['links'],
    service: 'webhook',
    access: read,
    response: { status: 200, schema: item(delivery) },
  },
  'webhooks.qr_delivery': {
    method: 'GET',
    path: `${path}/{id}/deliveries/{delivery}`,
    deployments: ['qr'],
    service: 'webhook',
    access: read,
    response: { status: 200, schema: item(qrDelivery) },
  },
  'webhooks.replay': {
    method: 'POST',
    path: `${path}/{id}/replay`,
    service: 'webhook',
    access: write,
    body: replayDeliveries,
    response: { status: 202, schema: item(replay) },
  },
  'webhooks.retry_delivery': {
    method: 'POST',
    path: `${path}/{id}/deliveries/{delivery}/retry`,
    service: 'webhook',
    access: write,
    idempotent: true,
    response: { status: 202, schema: item(deliveryAttempt) },
  },
} as const satisfies Record<string, RouteDefinition>;
