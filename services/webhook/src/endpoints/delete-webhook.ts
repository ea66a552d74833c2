import type { EventContext } from '@waymark/shared/contract/event';
import { webhookDeleted } from '@waymark/shared/contract/events';
import { notFound } from '@waymark/shared/kernel/errors';
import type { WebhookContext } from '../context.js';
import { eventPartsOf } from './endpoint.js';

/** From here on nothing is sent to it and nobody sees its log; the rows themselves follow (see `purger.ts`). */
export async function deleteWebhook(
  ctx: WebhookContext,
  event: EventContext,
  workspace: string,
  id: string,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const endpoint = await ctx.endpoints.delete(workspace, id, tx.session);
    if (!endpoint) throw notFound();
    await ctx.purger.order(id, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookDeleted.create(event, data, { target, changes: {} }));
  });
  ctx.purger.wake();
}
