import type { z } from 'zod';
import { changesBetween } from '@waymark/contract/audit-changes';
import { webhookCreated } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { createWebhook as createWebhookBody } from '@waymark/contract/webhooks';
import type { Database } from '@waymark/kernel/mongo/database';
import { AUDITED_FIELDS, eventPartsOf, type Endpoint } from './endpoint.js';
import type { EndpointRequest } from './endpoint-request.js';
import type { EndpointStore } from './endpoint-store.js';
import type { SealedSecret, SecretOwner } from './secret-box.js';
import type { SigningSecrets } from './signing-secrets.js';

export interface CreateContext {
  db: Database;
  endpoints: EndpointStore;
  signingSecrets: SigningSecrets;
}

type CreateInput = z.output<typeof createWebhookBody>;

export interface CreatedWebhook {
  endpoint: Endpoint;
  signingSecret: string;
}

/** Creates a webhook; only this call returns its signing secret. */
export async function createWebhook(
  ctx: CreateContext,
  { workspace, event }: Omit<EndpointRequest, 'id'>,
  input: CreateInput,
): Promise<CreatedWebhook> {
  const owner = { _id: newId('whk'), workspace };
  const { text: signingSecret, sealed } = await ctx.signingSecrets.createSecret(owner);
  const endpoint = newEndpoint(owner, sealed, input);
  await ctx.endpoints.prepareQuota(workspace);
  return ctx.db.transaction(async (tx) => {
    await ctx.endpoints.insertEndpoint(endpoint, tx.session);
    const { data, target } = eventPartsOf(endpoint);
    tx.emit(webhookCreated.create(event, data, { target, changes: changesBetween(AUDITED_FIELDS, null, endpoint) }));
    return { endpoint, signingSecret };
  });
}

function newEndpoint(owner: SecretOwner, secret: SealedSecret, input: CreateInput): Endpoint {
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
