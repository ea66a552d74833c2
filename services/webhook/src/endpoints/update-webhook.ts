import { setTimeout as sleep } from 'node:timers/promises';
import { changesBetween } from '@waymark/contract/audit-changes';
import type { AuditChanges } from '@waymark/contract/event';
import { webhookDisabled, webhookSecretRotated, webhookUpdated } from '@waymark/contract/events';
import { unchangeable } from '@waymark/contract/problems';
import type { UpdateWebhookBody } from '@waymark/contract/webhooks';
import { invalid, missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { Database, Transaction } from '@waymark/kernel/mongo/database';
import { AUDITED_FIELDS, ENDPOINT_AGE_MAX_MS, eventPartsOf, type Endpoint } from './endpoint.js';
import type { EndpointRequest } from './endpoint-request.js';
import type { EndpointStore } from './endpoint-store.js';
import type { WorkerNotifier } from './ports.js';
import { OLD_SECRETS_MAX, type SealedSecret } from './secret-box.js';
import type { SigningSecrets } from './signing-secrets.js';

export const SECRET_OVERLAP_MS = 24 * 3600 * 1000;

export interface UpdateContext {
  /** How long a replaced secret continues to sign. */
  secretOverlapMs: number;
  db: Database;
  endpoints: EndpointStore;
  signingSecrets: SigningSecrets;
  dispatcher: WorkerNotifier;
}

interface WebhookUpdate extends EndpointRequest {
  input: UpdateWebhookBody;
  check: CheckCurrent<Endpoint> | undefined;
}

export interface UpdatedWebhook {
  endpoint: Endpoint;
  /** The new secret if it was rotated; only this call returns it. */
  signingSecret: string | null;
}

/** Changes the fields of the input; one change emits one event. Returns once every worker has seen the change. */
export async function updateWebhook(ctx: UpdateContext, update: WebhookUpdate): Promise<UpdatedWebhook> {
  const updated = await ctx.db.transaction((tx) => applyUpdate(ctx, tx, update));
  ctx.dispatcher.notifyWorkers([update.id]);
  await sleep(ENDPOINT_AGE_MAX_MS);
  return updated;
}

async function applyUpdate(
  ctx: UpdateContext,
  tx: Transaction,
  { workspace, id, event, input, check }: WebhookUpdate,
): Promise<UpdatedWebhook> {
  const before = await ctx.endpoints.findEndpoint(workspace, id, tx.session);
  if (!before) throw missing('webhook', id);
  check?.(before);
  const now = await ctx.db.now();
  const created = input.rotate_secret ? await ctx.signingSecrets.createSecret(before) : null;
  const expiresAt = new Date(now.getTime() + ctx.secretOverlapMs);
  const secrets = created ? [created.sealed, ...retiredSecrets(before, now, expiresAt)] : before.secrets;
  const after = { ...withInput(before, input, now), secrets };
  const changes: AuditChanges = changesBetween(AUDITED_FIELDS, before, after);
  if (created) changes['rotate_secret'] = { from: null, to: true };
  if (Object.keys(changes).length === 0) return { endpoint: before, signingSecret: null };

  await ctx.endpoints.updateEndpoint(before, after, tx.session);
  // The worker cancels the attempts of a disabled endpoint. Those that waited for the key of the old secret are sent.
  if (!after.enabled || created) await ctx.endpoints.scheduleWork(new Map([[id, 0]]), now, tx.session);
  const { data, target } = eventPartsOf(after);
  tx.emit(eventDefinitionOf(changes, after).create(event, data, { target, changes }));
  return { endpoint: after, signingSecret: created?.text ?? null };
}

function withInput(before: Endpoint, input: UpdateWebhookBody, now: Date): Endpoint {
  const enabled = input.enabled ?? before.enabled;
  const after = {
    ...before,
    url: input.url ?? before.url,
    description: input.description === undefined ? before.description : input.description,
    eventTypes: input.event_types ? [...new Set(input.event_types)] : before.eventTypes,
    enabled,
    updatedAt: now,
    revision: before.revision + 1,
  };
  if (enabled === before.enabled) return after;
  // Reset: failures before it was disabled no longer count.
  return enabled ? { ...after, consecutiveFailures: 0, failingSince: undefined } : { ...after, disabledAt: now };
}

/** Returns the secrets that continue to sign after a rotation, each until it expires. */
function retiredSecrets(endpoint: Endpoint, now: Date, expiresAt: Date): SealedSecret[] {
  const retired = endpoint.secrets
    .map((secret) => ({ ...secret, expiresAt: secret.expiresAt ?? expiresAt }))
    .filter((secret) => secret.expiresAt > now);
  if (retired.length > OLD_SECRETS_MAX) {
    const problem = unchangeable(
      `The secret can be rotated again when fewer than ${OLD_SECRETS_MAX} old ones are still valid.`,
    );
    throw invalid({ rotate_secret: [problem] });
  }
  return retired;
}

/** Disabling determines the event's type, then a rotation; the event contains all other changes. */
function eventDefinitionOf(changes: AuditChanges, after: Endpoint) {
  if (changes['enabled'] && !after.enabled) return webhookDisabled;
  return changes['rotate_secret'] ? webhookSecretRotated : webhookUpdated;
}
