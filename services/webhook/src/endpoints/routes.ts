import { notFound } from '@waymark/shared/kernel/errors';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { created, item, noContent, paginated } from '@waymark/shared/kernel/http/reply';
import type { WebhookContext } from '../context.js';
import { presentAttempt } from '../deliveries/attempt.js';
import { retryDelivery } from '../deliveries/retry-delivery.js';
import { sendTest } from '../deliveries/send-test.js';
import { checkEndpoint } from './check-endpoint.js';
import { createWebhook } from './create-webhook.js';
import { deleteWebhook } from './delete-webhook.js';
import { presentWebhook, type Endpoint } from './endpoint.js';
import { updateWebhook } from './update-webhook.js';

export function webhookChecks(ctx: WebhookContext): Checks<'webhook'> {
  return {
    'webhooks.create': ({ body }) => checkEndpoint(ctx, body),
    'webhooks.update': ({ body }) => checkEndpoint(ctx, body),
  };
}

export function webhookHandlers(ctx: WebhookContext): Handlers<'webhook'> {
  const endpointOf = async (workspace: string, id: string): Promise<Endpoint> => {
    const endpoint = await ctx.endpoints.byId(workspace, id);
    if (!endpoint) throw notFound();
    return endpoint;
  };
  return {
    'webhooks.list': async ({ workspace }) => item((await ctx.endpoints.list(workspace.slug)).map(presentWebhook)),
    'webhooks.create': async ({ body, workspace, eventContext, url }) => {
      const { endpoint, signingSecret } = await createWebhook(ctx, eventContext, workspace.slug, body);
      const location = `${url.pathname}/${endpoint._id}`;
      return created(presentWebhook(endpoint), location, { signing_secret: signingSecret });
    },
    'webhooks.show': async ({ params, workspace }) => {
      const endpoint = await endpointOf(workspace.slug, params['id']!);
      return item(presentWebhook(endpoint));
    },
    'webhooks.update': async ({ params, body, workspace, eventContext }) => {
      const { endpoint, signingSecret } = await updateWebhook(ctx, eventContext, workspace.slug, params['id']!, body);
      return item(presentWebhook(endpoint), signingSecret === null ? undefined : { signing_secret: signingSecret });
    },
    'webhooks.delete': async ({ params, workspace, eventContext }) => {
      await deleteWebhook(ctx, eventContext, workspace.slug, params['id']!);
      return noContent();
    },
    'webhooks.test': async ({ params, workspace }) =>
      item(presentAttempt(await sendTest(ctx, workspace.slug, params['id']!))),
    'webhooks.deliveries': async ({ params, query, workspace, url }) => {
      const endpoint = await endpointOf(workspace.slug, params['id']!);
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await ctx.attempts.list(endpoint._id, page);
      return paginated({ items: items.map(presentAttempt), total }, page, url);
    },
    'webhooks.retry_delivery': async ({ params, workspace }) =>
      item(presentAttempt(await retryDelivery(ctx, workspace.slug, params['id']!, params['delivery']!))),
  };
}
