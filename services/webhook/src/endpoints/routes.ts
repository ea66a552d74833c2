import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDeleted } from '@waymark/contract/events';
import { missing } from '@waymark/kernel/errors';
import type { Checks, Handlers } from '@waymark/kernel/http/api';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import { created, item, listOrPage, mapPage, noContent } from '@waymark/kernel/http/reply';
import type { Database } from '@waymark/kernel/mongo/database';
import { checkEndpoint, type CheckContext } from './check-endpoint.js';
import { createWebhook, type CreateContext, type CreatedWebhook } from './create-webhook.js';
import { ENDPOINT_AGE_MAX_MS, eventPartsOf, presentWebhook, type Endpoint } from './endpoint.js';
import { endpointRequestOf, type EndpointRequest } from './endpoint-request.js';
import { ENDPOINTS_MAX, type EndpointStore } from './endpoint-store.js';
import type { PurgeOrders } from './ports.js';
import { updateWebhook, type UpdateContext } from './update-webhook.js';

interface DeleteContext {
  db: Database;
  endpoints: EndpointStore;
  purger: PurgeOrders;
}

export function endpointChecks(ctx: CheckContext): Checks<'webhook'> {
  return {
    'webhooks.create': ({ body }) => checkEndpoint(ctx, body),
    'webhooks.update': ({ body }) => checkEndpoint(ctx, body),
  };
}

export function endpointHandlers(ctx: CreateContext & UpdateContext & DeleteContext) {
  return {
    'webhooks.list': ({ query, workspace, url }) =>
      listOrPage({ query, url, max: ENDPOINTS_MAX }, async (page) =>
        mapPage(await ctx.endpoints.findPage(workspace.slug, page), presentWebhook),
      ),
    'webhooks.create': ({ body, workspace, eventContext, url, once }) =>
      once(
        () => createWebhook(ctx, { workspace: workspace.slug, event: eventContext }, body),
        ({ endpoint, signingSecret }: CreatedWebhook) =>
          created(presentWebhook(endpoint), new URL(`${url.pathname}/${endpoint._id}`, url), {
            signing_secret: signingSecret,
          }),
      ),
    'webhooks.show': async ({ params, workspace }) => {
      const endpoint = await ctx.endpoints.findEndpoint(workspace.slug, params['id']!);
      if (!endpoint) throw missing('webhook', params['id']!);
      return item(presentWebhook(endpoint));
    },
    'webhooks.update': async (request) => {
      const update = { input: request.body, check: request.condition(presentWebhook) };
      const { endpoint, signingSecret } = await updateWebhook(ctx, { ...endpointRequestOf(request), ...update });
      return item(presentWebhook(endpoint), signingSecret === null ? undefined : { signing_secret: signingSecret });
    },
    'webhooks.delete': async (request) => {
      await deleteWebhook(ctx, endpointRequestOf(request), request.condition(presentWebhook));
      return noContent();
    },
  } satisfies Partial<Handlers<'webhook'>>;
}

/** Deletes an endpoint. After the return it gets no deliveries and its log is hidden; the purger deletes the rows. */
async function deleteWebhook(
  ctx: DeleteContext,
  { workspace, id, event }: EndpointRequest,
  check?: CheckCurrent<Endpoint>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const endpoint = await ctx.endpoints.deleteEndpoint(workspace, id, tx.session);
    if (!endpoint) throw missing('webhook', id);
    check?.(endpoint);
    await ctx.purger.orderPurge(id, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookDeleted.create(event, data, { target, changes: {} }));
  });
  ctx.purger.notify();
  await sleep(ENDPOINT_AGE_MAX_MS);
}
