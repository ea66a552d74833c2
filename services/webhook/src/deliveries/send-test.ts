import type { EventContext } from '@waymark/contract/event';
import { webhookTested } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import { WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import { notFound } from '@waymark/kernel/errors';
import type { WebhookContext } from '../context.js';
import { deliveryEvent } from './delivery-event.js';
import { endpointDisabled, type Endpoint } from '../endpoints/endpoint.js';
import { askedNow, firstAttempt, type Attempt } from './attempt.js';

/** Sends one test event to one endpoint, so that its owner sees whether it arrives. */
export async function sendTest(
  ctx: WebhookContext,
  context: EventContext,
  workspace: string,
  id: string,
): Promise<Attempt> {
  const attempt = await ctx.db.transaction(async (tx) => {
    const endpoint = await ctx.endpoints.byId(workspace, id, tx.session);
    if (!endpoint) throw notFound();
    if (!endpoint.enabled) throw endpointDisabled();
    const event = testEvent(endpoint);
    const first = { ...firstAttempt(event, JSON.stringify(event), id, new Date()), ...askedNow() };
    await ctx.attempts.insert(first, tx.session);
    await ctx.leases.wake(new Map([[id, 1]]), first.dueAt, tx.session);
    tx.emit(deliveryEvent(webhookTested, context, endpoint, first));
    return first;
  });
  ctx.engine.wake([id]);
  return attempt;
}

function testEvent({ _id, url, workspace }: Endpoint) {
  const created_at = new Date().toISOString();
  return { id: newId('evt'), type: WEBHOOK_TEST, created_at, workspace, data: { webhook: { id: _id, url } } };
}
