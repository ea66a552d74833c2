import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDeleted } from '@waymark/contract/events';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { Database } from '@waymark/kernel/mongo/database';
import { ENDPOINT_AGE_MAX_MS, eventPartsOf, type Endpoint } from './endpoint.js';
import type { EndpointRequest } from './endpoint-request.js';
import type { EndpointStore } from './endpoint-store.js';
import type { PurgeOrders } from './ports.js';

export interface DeleteContext {
  db: Database;
  endpoints: EndpointStore;
  purger: PurgeOrders;
}

/** Deletes an endpoint. After the return it gets no deliveries and its log is hidden; the purger deletes the rows. */
export async function deleteWebhook(
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
