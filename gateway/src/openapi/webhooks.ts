import type { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Deployment } from '@waymark/contract/deployments';
import { webhookPayloads } from '@waymark/contract/webhook-payloads';
import { WEBHOOK_EVENTS } from './webhook-events.js';

const SIGNED_HEADERS = {
  'webhook-id': 'Id of the event, `evt_…`, the same on every attempt: what to deduplicate by.',
  'webhook-timestamp': 'When this attempt was made, in seconds since 1970. Refuse one that is more than 5 minutes off.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, without spaces. The key is the part of the secret after ' +
    '`whsec_`, base64-decoded. While a secret is rotated there are several, with spaces between: one that fits is enough.',
};

/** What receivers answer. */
export const RECEIVER_COMPONENTS: Record<string, ZodOpenApiResponseObject> = {
  EventReceived: { description: 'You have received the event: it is not sent again.' },
  EndpointGone: { description: 'Disables the endpoint until a PATCH enables it.' },
};

/** Describes the requests that receivers get, by event type. */
export function describeWebhooks(deployment: Deployment): Record<string, { post: ZodOpenApiOperationObject }> {
  const payloads = Object.entries(webhookPayloads(deployment));
  return Object.fromEntries(payloads.map(([type, payload]) => [type, { post: deliveryOf(type, payload) }]));
}

function deliveryOf(type: string, payload: z.ZodObject): ZodOpenApiOperationObject {
  const event = WEBHOOK_EVENTS[type];
  if (!event) throw new Error(`the webhook event ${type} has no description`);
  return {
    operationId: type.replace('.', '_'),
    summary: event.summary,
    description: event.description,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.entries(SIGNED_HEADERS).map(([name, description]) => ({
      name,
      in: 'header' as const,
      required: true,
      description,
      schema: { type: 'string' as const },
    })),
    requestBody: { required: true, description: 'The event.', content: { 'application/json': { schema: payload } } },
    responses: {
      '2XX': { $ref: '#/components/responses/EventReceived' },
      '410': { $ref: '#/components/responses/EndpointGone' },
    },
  };
}
