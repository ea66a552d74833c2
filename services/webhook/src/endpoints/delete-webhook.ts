import { setTimeout as sleep } from 'node:timers/promises';
import type { EventContext } from '@waymark/contract/event';
import { webhookDeleted } from '@waymark/contract/events';
import { notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { WebhookContext } from '../context.js';
import { SEEN_WITHIN_MS } from '../sending/tenure.js';
import { eventPartsOf, type Endpoint } from './endpoint.js';

/** Deletes an endpoint. After the return it gets no deliveries and its log is hidden; `purger.ts` deletes the rows. */
export async function deleteWebhook(
  ctx: WebhookContext,
  event: EventContext,
  workspace: string,
  id: string,
  check?: CheckCurrent<Endpoint>,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const endpoint = await ctx.endpoints.delete(workspace, id, tx.session);
    if (!endpoint) throw notFound();
    check?.(endpoint);
    await ctx.purger.order(id, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookDeleted.create(event, data, { target, changes: {} }));
  });
  ctx.purger.wake();
  await sleep(SEEN_WITHIN_MS);
}
