import { notFound } from '@waymark/kernel/errors';
import { rangeProblems } from '@waymark/contract/date-or-time';
import type { DeliveryFilters } from '@waymark/contract/webhooks';
import type { ApiRequest, Checks, Handlers } from '@waymark/kernel/http/api';
import { created, item, listOrPage, mapPage, noContent, cursorPage, type Reply } from '@waymark/kernel/http/reply';
import type { WebhookContext } from '../context.js';
import { presentAttempt, type Attempt } from '../deliveries/attempt.js';
import { presentDelivery, presentRow } from '../deliveries/present-delivery.js';
import { retryDelivery } from '../deliveries/retry-delivery.js';
import { sendTest } from '../deliveries/send-test.js';
import { startReplay } from '../deliveries/start-replay.js';
import { checkEndpoint, checkFilters } from './check-endpoint.js';
import { createWebhook, type CreatedWebhook } from './create-webhook.js';
import { deleteWebhook } from './delete-webhook.js';
import { ENDPOINTS_MAX } from './endpoint-store.js';
import { presentWebhook, type Endpoint } from './endpoint.js';
import { updateWebhook } from './update-webhook.js';

type DeliveriesRequest = Pick<ApiRequest, 'params' | 'workspace' | 'url'> & { query: DeliveryFilters };

export function webhookChecks(ctx: WebhookContext): Checks<'webhook'> {
  return {
    'webhooks.create': ({ body }) => checkEndpoint(ctx, body),
    'webhooks.update': ({ body }) => checkEndpoint(ctx, body),
    'webhooks.deliveries': ({ query }) => checkFilters(ctx, query),
    'webhooks.qr_deliveries': ({ query }) => checkFilters(ctx, query),
    'webhooks.replay': ({ body: { event_types: types, ...range } }) => ({
      ...rangeProblems(range),
      ...checkEndpoint(ctx, { event_types: types ?? [] }),
    }),
  };
}

const asked = (attempt: Attempt) => item(presentAttempt(attempt));

export function webhookHandlers(ctx: WebhookContext): Handlers<'webhook'> {
  const endpointOf = async (workspace: string, id: string): Promise<Endpoint> => {
    const endpoint = await ctx.endpoints.byId(workspace, id);
    if (!endpoint) throw notFound();
    return endpoint;
  };
  const { DEPLOYMENT: deployment } = ctx.config;

  const listDeliveries = async ({ params, query, workspace, url }: DeliveriesRequest): Promise<Reply> => {
    const endpoint = await endpointOf(workspace.slug, params['id']!);
    const found = await ctx.deliveryLog.list(endpoint._id, query);
    const rows = { ...found, items: found.items.map((attempt) => presentRow(deployment, attempt)) };
    return cursorPage(rows, { page: query.page, perPage: query.per_page, cursor: query.cursor }, url);
  };

  const showDelivery = async ({ params, workspace }: Pick<DeliveriesRequest, 'params' | 'workspace'>) => {
    const { _id } = await endpointOf(workspace.slug, params['id']!);
    const deliveryId = await ctx.attempts.deliveryIdOf(_id, params['delivery']!);
    const [latest, ...earlier] = await ctx.deliveryLog.attemptsOf(_id, deliveryId);
    if (!latest) throw notFound();
    return item(presentDelivery(deployment, [latest, ...earlier]));
  };

  return {
    'webhooks.list': ({ query, workspace, url }) =>
      listOrPage(query, url, ENDPOINTS_MAX, async (page) =>
        mapPage(await ctx.endpoints.page(workspace.slug, page), presentWebhook),
      ),
    'webhooks.create': ({ body, workspace, eventContext, url, once }) =>
      once(
        ({ endpoint, signingSecret }: CreatedWebhook) =>
          created(presentWebhook(endpoint), `${url.pathname}/${endpoint._id}`, { signing_secret: signingSecret }),
        () => createWebhook(ctx, eventContext, workspace.slug, body),
      ),
    'webhooks.show': async ({ params, workspace }) => {
      const endpoint = await endpointOf(workspace.slug, params['id']!);
      return item(presentWebhook(endpoint));
    },
    'webhooks.update': async ({ params, body, workspace, eventContext, condition }) => {
      const update = { id: params['id']!, input: body, check: condition(presentWebhook) };
      const { endpoint, signingSecret } = await updateWebhook(ctx, eventContext, workspace.slug, update);
      return item(presentWebhook(endpoint), signingSecret === null ? undefined : { signing_secret: signingSecret });
    },
    'webhooks.delete': async ({ params, workspace, eventContext, condition }) => {
      await deleteWebhook(ctx, eventContext, workspace.slug, params['id']!, condition(presentWebhook));
      return noContent();
    },
    'webhooks.test': ({ params, workspace, eventContext, once }) =>
      once(asked, () => sendTest(ctx, eventContext, workspace.slug, params['id']!)),
    'webhooks.deliveries': listDeliveries,
    'webhooks.qr_deliveries': listDeliveries,
    'webhooks.delivery': showDelivery,
    'webhooks.qr_delivery': showDelivery,
    'webhooks.retry_delivery': ({ params, workspace, eventContext, once }) =>
      once(asked, () => retryDelivery(ctx, eventContext, workspace.slug, params['id']!, params['delivery']!)),
    'webhooks.replay': async ({ params, body, workspace, eventContext }) =>
      item(await startReplay(ctx, eventContext, workspace.slug, params['id']!, body)),
  };
}
