import { z } from 'zod';
import { description, item, list, page, paginated, perPage, timestamp } from './common.js';
import { ADMINISTRATORS } from './roles.js';
import type { RouteDefinition } from './route.js';
import { httpUrl, parseUrl } from './url.js';

const NAME_MAX = 253;

export const webhookUrl = httpUrl('url').refine(isCallable, 'The url must have a name and a port that can be called.');

/** With a host that a name server can know, and a port that can be open. */
function isCallable(text: string): boolean {
  const { hostname, port } = parseUrl(text)!;
  return port !== '0' && hostname.replace(/\.$/, '').length <= NAME_MAX;
}

const eventTypes = z
  .array(z.string({ error: 'The event_types must hold texts.' }).max(64, 'An event type has at most 64 characters.'), {
    error: ({ input }) => (input === undefined ? 'The event_types are required.' : 'The event_types must be a list.'),
  })
  .min(1, 'The event_types must name at least one event.')
  .max(50, 'The event_types must name at most 50 events.');
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

export const deliveryAttempt = z.object({
  id: z.string(),
  delivery_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  attempt_number: z.number().int(),
  status: z.enum(['succeeded', 'failed', 'pending']),
  status_code: z.number().int().nullable(),
  error: z.object({ type: deliveryErrorType, message: z.string() }).nullable(),
  duration_ms: z.number().int().nullable(),
  attempted_at: timestamp.nullable(),
  next_retry_at: timestamp.nullable(),
});
export type DeliveryAttemptBody = z.infer<typeof deliveryAttempt>;

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
    response: { status: 200, schema: list(webhook) },
  },
  'webhooks.create': {
    method: 'POST',
    path,
    service: 'webhook',
    access: write,
    body: createWebhook,
    response: { status: 201, schema: item(webhook).extend({ meta: signingSecret }) },
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
    response: { status: 200, schema: item(webhook).extend({ meta: signingSecret.optional() }) },
  },
  // The documents list it with the read ability.
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
    response: { status: 202, schema: item(deliveryAttempt) },
  },
  'webhooks.deliveries': {
    method: 'GET',
    path: `${path}/{id}/deliveries`,
    service: 'webhook',
    access: read,
    query: z.object({ page, per_page: perPage }),
    response: { status: 200, schema: paginated(deliveryAttempt) },
  },
  'webhooks.retry_delivery': {
    method: 'POST',
    path: `${path}/{id}/deliveries/{delivery}/retry`,
    service: 'webhook',
    access: write,
    response: { status: 202, schema: item(deliveryAttempt) },
  },
} as const satisfies Record<string, RouteDefinition>;
