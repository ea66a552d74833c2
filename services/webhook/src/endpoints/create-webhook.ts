import type { z } from 'zod';
import { changesBetween } from '@waymark/contract/audit-changes';
import type { EventContext } from '@waymark/contract/event';
import { webhookCreated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { createWebhook as createWebhookBody } from '@waymark/contract/webhooks';
import type { WebhookContext } from '../context.js';
import { AUDITED, eventPartsOf, type Endpoint } from './endpoint.js';
import type { SealedSecret, SecretOwner } from './secret-box.js';

export interface CreatedWebhook {
  endpoint: Endpoint;
  signingSecret: string;
}

/** Creates a webhook; only this call returns its signing secret. */
export async function createWebhook(
  ctx: WebhookContext,
  event: EventContext,
  workspace: string,
  input: z.output<typeof createWebhookBody>,
): Promise<CreatedWebhook> {
  const owner = { _id: newId('whk'), workspace };
  const { text: signingSecret, sealed } = await ctx.secretKeeper.newSecret(owner);
  const endpoint = newEndpoint(owner, sealed, input);
  await ctx.endpoints.openQuota(workspace);
  return ctx.db.transaction(async (tx) => {
    await ctx.endpoints.insert(endpoint, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookCreated.create(event, data, { target, changes: changesBetween(AUDITED, null, endpoint) }));
    return { endpoint, signingSecret };
  });
}

function newEndpoint(owner: SecretOwner, secret: SealedSecret, input: z.output<typeof createWebhookBody>): Endpoint {
  const now = new Date();
  return {
    ...owner,
    url: input.url,
    description: input.description ?? null,
    eventTypes: [...new Set(input.event_types)],
    enabled: input.enabled,
    secrets: [secret],
    consecutiveFailures: 0,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    wakeNo: 0,
    leaseNo: 0,
    leaseUntil: new Date(0),
  };
}
