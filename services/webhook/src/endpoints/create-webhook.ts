import type { z } from 'zod';
import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import { webhookCreated } from '@waymark/shared/contract/events';
import { newId } from '@waymark/shared/contract/ids';
import type { createWebhook as createWebhookBody } from '@waymark/shared/contract/webhooks';
import { AppError } from '@waymark/shared/kernel/errors';
import type { WebhookContext } from '../context.js';
import { AUDITED, eventPartsOf, type Endpoint } from './endpoint.js';
import { ENDPOINTS_MAX } from './endpoint-store.js';
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
    if ((await ctx.endpoints.insert(endpoint, tx.session)) === 'too_many') throw tooMany();
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookCreated.create(event, data, { target, changes: changesBetween(AUDITED, null, endpoint) }));
  });
  return { endpoint, signingSecret };
}

function tooMany(): AppError {
  const quota = [`A workspace can have at most ${ENDPOINTS_MAX} webhooks.`];
  const details = { quota, resource: 'webhooks', limit: ENDPOINTS_MAX, current: ENDPOINTS_MAX };
  return new AppError('validation_failed', 'The given data was invalid.', { details });
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
