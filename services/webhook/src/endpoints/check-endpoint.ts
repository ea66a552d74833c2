import { setTimeout as sleep } from 'node:timers/promises';
import { WEBHOOK_EVENT_TYPES } from '@waymark/shared/contract/webhook-events';
import { invalid } from '@waymark/shared/kernel/errors';
import type { WebhookContext } from '../context.js';
import { literalAddress } from '../outbound/guard.js';

/** A name that is not resolved by then is taken: every connection is checked again anyway. */
const RESOLVE_WAIT_MS = 2000;

/** @throws AppError `validation_failed` naming every field that this deployment does not take. */
export async function checkEndpoint(
  ctx: WebhookContext,
  fields: { url?: string; event_types?: readonly string[] },
): Promise<void> {
  const details: Record<string, string[]> = {};
  const unknown = (fields.event_types ?? []).filter((type) => !isKnown(ctx, type));
  if (unknown.length > 0) details['event_types'] = [`The event_types must be known; unknown: ${unknown.join(', ')}.`];
  const problem = fields.url === undefined ? null : await problemOf(ctx, new URL(fields.url));
  if (problem) details['url'] = [problem];
  if (Object.keys(details).length > 0) throw invalid(details);
}

function isKnown(ctx: WebhookContext, type: string): boolean {
  return WEBHOOK_EVENT_TYPES[ctx.config.DEPLOYMENT].includes(type);
}

async function problemOf(ctx: WebhookContext, url: URL): Promise<string | null> {
  if (url.protocol !== 'https:' && !ctx.config.WEBHOOK_ALLOW_HTTP) return 'The url must be an https URL.';
  const literal = literalAddress(url);
  const addresses = literal === null ? await resolvedSoon(ctx, url.hostname) : [literal];
  return addresses.every((address) => ctx.policy.allows(address)) ? null : 'The url must lead to a public address.';
}

async function resolvedSoon(ctx: WebhookContext, hostname: string): Promise<string[]> {
  const found = ctx.resolve(hostname).catch(() => []);
  const addresses = await Promise.race([found, sleep(RESOLVE_WAIT_MS, [], { ref: false })]);
  return addresses.map(({ address }) => address);
}
