import { notFound } from '@waymark/shared/kernel/errors';
import type { Checks, Handlers } from '@waymark/shared/kernel/http/api';
import { created, item, paginated } from '@waymark/shared/kernel/http/reply';
import type { WebhookContext } from '../context.js';
import { presentAttempt } from '../deliveries/attempt.js';
import { checkEndpoint } from './check-endpoint.js';
import { createWebhook } from './create-webhook.js';
import { presentWebhook, type Endpoint } from './endpoint.js';

export function webhookChecks(ctx: WebhookContext): Checks<'webhook'> {
  return { 'webhooks.create': ({ body }) => checkEndpoint(ctx, body) };
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
    'webhooks.deliveries': async ({ params, query, workspace, url }) => {
      const endpoint = await endpointOf(workspace.slug, params['id']!);
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await ctx.deliveries.listAttempts(endpoint._id, page);
      return paginated({ items: items.map(presentAttempt), total }, page, url);
    },
  };
}
