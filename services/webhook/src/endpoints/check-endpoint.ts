import { setTimeout as sleep } from 'node:timers/promises';
import { WEBHOOK_EVENT_TYPES } from '@waymark/shared/contract/webhook-events';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { WebhookContext } from '../context.js';
import { knownAddresses } from '../outbound/guard.js';

/** A name that is not resolved by then is taken: every connection is checked again anyway. */
const RESOLVE_WAIT_MS = 2000;

/** What this deployment does not take of these fields. */
export async function checkEndpoint(
  ctx: WebhookContext,
  fields: { url?: string; event_types?: readonly string[] },
): Promise<FieldProblems> {
  const details: FieldProblems = {};
  const unknown = (fields.event_types ?? []).filter((type) => !isKnown(ctx, type));
  if (unknown.length > 0) details['event_types'] = [`The event_types must be known; unknown: ${unknown.join(', ')}.`];
  const problem = fields.url === undefined ? null : await problemOf(ctx, new URL(fields.url));
  if (problem) details['url'] = [problem];
  return details;
}

function isKnown(ctx: WebhookContext, type: string): boolean {
  return WEBHOOK_EVENT_TYPES[ctx.config.DEPLOYMENT].includes(type);
}

async function problemOf(ctx: WebhookContext, url: URL): Promise<string | null> {
  if (url.protocol !== 'https:' && !ctx.config.WEBHOOK_ALLOW_HTTP) return 'The url must be an https URL.';
  const addresses = knownAddresses(url) ?? (await resolvedSoon(ctx, url.hostname));
  return addresses.every((address) => ctx.policy.allows(address)) ? null : 'The url must lead to a public address.';
}

/** Nothing where a proxy resolves the names: it may know others than this process. */
async function resolvedSoon(ctx: WebhookContext, hostname: string): Promise<string[]> {
  if (ctx.config.WEBHOOK_PROXY_URL !== undefined) return [];
  const found = ctx.resolve(hostname).catch(() => []);
  const addresses = await Promise.race([found, sleep(RESOLVE_WAIT_MS, [], { ref: false })]);
  return addresses.map(({ address }) => address);
}
