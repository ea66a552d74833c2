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
import { dateOrTime } from './date-or-time.js';
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
  .max(64, 'The event_types must be at most 64 characters each.');
const eventTypes = boundedList(webhookEventType, {
  error: ({ input }) => (input === undefined ? 'The event_types are required.' : 'The event_types must be a list.'),
  min: [1, 'The event_types must name at least one event.'],
  max: [50, tooMany('event_types', 50, 'events')],
});
const flag = (name: string) => z.boolean({ error: `The ${name} must be true or false.` });

export const createWebhook = z.object({
  url: webhookUrl,
  description: description.nullish(),
  event_types: eventTypes,
  enabled: flag('enabled').default(true),
});

export const updateWebhook = z
  .object({
    url: webhookUrl,
    description: description.nullable(),
    event_types: eventTypes,
    enabled: flag('enabled'),
    rotate_secret: flag('rotate_secret'),
  })
  .partial();
export type UpdateWebhookBody = z.infer<typeof updateWebhook>;

export const webhook = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  event_types: z.array(z.string()),
  enabled: z.boolean(),
  status: z.enum(['healthy', 'failing', 'disabled']),
  consecutive_failures: z.number().int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type WebhookBody = z.infer<typeof webhook>;

export const deliveryErrorType = z.enum(['http_error', 'timeout', 'dns', 'tls', 'connection', 'blocked']);
export type DeliveryErrorType = z.infer<typeof deliveryErrorType>;

const attemptStatus = z.enum(['succeeded', 'failed', 'pending']);

export const deliveryAttempt = z.object({
  id: z.string(),
  delivery_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  attempt_number: z.number().int(),
  status: attemptStatus,
  status_code: z.number().int().nullable(),
  error: z.object({ type: deliveryErrorType, message: z.string() }).nullable(),
  duration_ms: z.number().int().nullable(),
  /** When the attempt was scheduled; the list is sorted and filtered by it. */
  created_at: timestamp,
  attempted_at: timestamp.nullable(),
  next_retry_at: timestamp.nullable(),
});
export type DeliveryAttemptBody = z.infer<typeof deliveryAttempt>;

/** The link that an event is about; `null` for an event about none. */
const linkId = { link_id: z.string().nullable() };
const qrCodeId = { qr_code_id: z.string().nullable() };
export const deliveryRow = deliveryAttempt.extend(linkId);
export const qrDeliveryRow = deliveryAttempt.extend(qrCodeId);

const receivedResponse = z.object({
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  body_omitted: z.literal('not text').nullable().optional().meta({
    description: '`not text` where there was a body that is not shown; absent in rows of 0.1.0.',
  }),
  is_truncated: z.boolean(),
});
export type ReceivedResponse = z.infer<typeof receivedResponse>;

export const delivery = z.object({
  id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  ...linkId,
  status: attemptStatus,
  payload: z.record(z.string(), z.unknown()).nullable(),
  /** The newest first. */
  attempts: z.array(deliveryAttempt.extend({ response: receivedResponse.nullable() })),
});
export const qrDelivery = delivery.omit({ link_id: true }).extend(qrCodeId);

/** The types that an endpoint may subscribe to, and `webhook.test`. */
export const loggedEventType = z
  .string({ error: 'The event_type must be given once.' })
  .max(64, 'The event_type must be at most 64 characters.')
  .meta({ description: 'Only deliveries of this event. Omit it, or pass `all`, for every event.' });

const deliveryFilters = z.object({
  status: wordSelector('status', attemptStatus.options),
  event_type: loggedEventType.transform((type) => (type === EVERY ? undefined : type)).optional(),
  from: dateOrTime('from').optional().meta({ description: 'Only attempts that were scheduled at this time or later.' }),
  to: dateOrTime('to').optional().meta({ description: 'Only attempts that were scheduled at this time or earlier.' }),
  ...cursorPaging,
});
const linkDeliveries = deliveryFilters.extend({ link_id: selector('link_id', 64) });
const qrDeliveries = deliveryFilters.extend({ qr_code_id: selector('qr_code_id', 64) });
export type DeliveryFilters = z.output<typeof linkDeliveries> | z.output<typeof qrDeliveries>;

export const REPLAY_MAX = 10_000;
export const replayDeliveries = z.object({
  from: dateOrTime('from'),
  to: dateOrTime('to'),
  event_types: eventTypes.nullish(),
});
export type ReplayDeliveriesBody = z.infer<typeof replayDeliveries>;

export const replay = z.object({
  deliveries: z.number().int(),
  from: timestamp,
  to: timestamp,
  event_types: z.array(z.string()).nullable(),
});

const signingSecret = z.object({ signing_secret: z.string() });

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
    response: { status: 200, schema: item(webhook, signingSecret.optional()) },
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
