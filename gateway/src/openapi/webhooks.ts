import type { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Deployment } from '@waymark/contract/deployments';
import { webhookPayloads } from '@waymark/contract/webhook-payloads';

const SIGNED_HEADERS = {
  'webhook-id': 'The id of the event, the same on every attempt.',
  'webhook-timestamp': 'When this attempt was made, in seconds since 1970.',
  'webhook-signature':
    '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated.',
};

const DESCRIPTION = `
Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
`.trim();

/** Describes the requests that receivers get, by event type. */
export function describeWebhooks(deployment: Deployment): Record<string, { post: ZodOpenApiOperationObject }> {
  const payloads = Object.entries(webhookPayloads(deployment));
  return Object.fromEntries(payloads.map(([type, payload]) => [type, { post: deliveryOf(type, payload) }]));
}

function deliveryOf(type: string, payload: z.ZodObject): ZodOpenApiOperationObject {
  return {
    operationId: `receive_${type.replace('.', '_')}`,
    summary: type,
    description: DESCRIPTION,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.entries(SIGNED_HEADERS).map(([name, description]) => ({
      name,
      in: 'header' as const,
      required: true,
      description,
      schema: { type: 'string' as const },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: payload } } },
    responses: {
      '2XX': { description: 'Accepted.' },
      '410': { description: 'Disables the endpoint: it receives no more events.' },
    },
  };
}
