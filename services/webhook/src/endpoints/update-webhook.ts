import { setTimeout as sleep } from 'node:timers/promises';
import { changesBetween } from '@waymark/contract/audit-changes';
import type { AuditChanges, EventContext } from '@waymark/contract/event';
import { webhookDisabled, webhookSecretRotated, webhookUpdated } from '@waymark/contract/events';
import type { UpdateWebhookBody } from '@waymark/contract/webhooks';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { invalid, notFound } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { WebhookContext } from '../context.js';
import { SEEN_WITHIN_MS } from '../sending/tenure.js';
import { AUDITED, eventPartsOf, type Endpoint } from './endpoint.js';
import { OLD_SECRETS_MAX, type SealedSecret } from './secret-box.js';

interface WebhookUpdate {
  id: string;
  input: UpdateWebhookBody;
  check: CheckCurrent<Endpoint> | undefined;
}

interface Updated {
  endpoint: Endpoint;
  /** The new secret if it was rotated; only this call returns it. */
  signingSecret: string | null;
}

/** Changes the fields of the input; one change emits one event. Returns once every sender has seen the change. */
export async function updateWebhook(
  ctx: WebhookContext,
  event: EventContext,
  workspace: string,
  change: WebhookUpdate,
): Promise<Updated> {
  const updated = await ctx.db.transaction((tx) => update(ctx, tx, event, workspace, change));
  ctx.engine.wake([change.id]);
  await sleep(SEEN_WITHIN_MS);
  return updated;
}

async function update(
  ctx: WebhookContext,
  tx: Transaction,
  event: EventContext,
  workspace: string,
  { id, input, check }: WebhookUpdate,
): Promise<Updated> {
  const before = await ctx.endpoints.byId(workspace, id, tx.session);
  if (!before) throw notFound();
  check?.(before);
  const now = await ctx.db.now();
  const fresh = input.rotate_secret ? await ctx.secretKeeper.newSecret(before) : null;
  const secrets = fresh ? rotated(ctx, before, fresh.sealed, now) : before.secrets;
  const after = { ...applied(before, input, now), secrets };
  const changes: AuditChanges = changesBetween(AUDITED, before, after);
  if (fresh) changes['rotate_secret'] = { from: null, to: true };
  if (Object.keys(changes).length === 0) return { endpoint: before, signingSecret: null };

  await ctx.endpoints.update(before, after, tx.session);
  if (!after.enabled) await ctx.leases.wake(new Map([[id, 0]]), now, tx.session);
  const { data, target } = eventPartsOf(after);
  tx.emit(definitionOf(changes, after).create(event, data, { target, changes }));
  return { endpoint: after, signingSecret: fresh?.text ?? null };
}

function applied(before: Endpoint, input: UpdateWebhookBody, now: Date): Endpoint {
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

/** Puts the new secret in front; the old ones sign too until they expire. */
function rotated(ctx: WebhookContext, endpoint: Endpoint, fresh: SealedSecret, now: Date): Endpoint['secrets'] {
  const expiresAt = new Date(now.getTime() + ctx.config.WEBHOOK_SECRET_OVERLAP_SECONDS * 1000);
  const old = endpoint.secrets
    .map((secret) => ({ ...secret, expiresAt: secret.expiresAt ?? expiresAt }))
    .filter((secret) => secret.expiresAt > now);
  if (old.length > OLD_SECRETS_MAX) {
    const problem = `The secret can be rotated again when fewer than ${OLD_SECRETS_MAX} old ones are still valid.`;
    throw invalid({ rotate_secret: [problem] });
  }
  return [fresh, ...old];
}

/** Disabling determines the event's type, then a rotation; the event contains all other changes. */
function definitionOf(changes: AuditChanges, after: Endpoint) {
  if (changes['enabled'] && !after.enabled) return webhookDisabled;
  return changes['rotate_secret'] ? webhookSecretRotated : webhookUpdated;
}
