import type { z } from 'zod';
import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import { webhookCreated } from '@waymark/shared/contract/events';
import { newId } from '@waymark/shared/contract/ids';
import type { createWebhook as createWebhookBody } from '@waymark/shared/contract/webhooks';
import type { WebhookContext } from '../context.js';
import { AUDITED, eventPartsOf, type Endpoint } from './endpoint.js';
import { newSigningSecret, type SecretBox } from './secret-box.js';

/** The signing secret is returned here and never again. */
export async function createWebhook(
  ctx: WebhookContext,
  event: EventContext,
  workspace: string,
  input: z.output<typeof createWebhookBody>,
): Promise<{ endpoint: Endpoint; signingSecret: string }> {
  const signingSecret = newSigningSecret();
  const endpoint = newEndpoint(ctx.secrets, workspace, input, signingSecret);
  await ctx.endpoints.openQuota(workspace);
  await ctx.db.transaction(async (tx) => {
    await ctx.endpoints.insert(endpoint, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookCreated.create(event, data, { target, changes: changesBetween(AUDITED, null, endpoint) }));
  });
  return { endpoint, signingSecret };
}

function newEndpoint(
  secrets: SecretBox,
  workspace: string,
  input: z.output<typeof createWebhookBody>,
  signingSecret: string,
): Endpoint {
  const now = new Date();
  const owner = { _id: newId('whk'), workspace };
  return {
    ...owner,
    url: input.url,
    description: input.description ?? null,
    eventTypes: [...new Set(input.event_types)],
    enabled: input.enabled,
    secrets: [secrets.seal(signingSecret, owner)],
    consecutiveFailures: 0,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    wakeNo: 0,
    leaseNo: 0,
    leaseUntil: new Date(0),
  };
}
