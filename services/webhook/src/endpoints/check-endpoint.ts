import { WEBHOOK_EVENT_TYPES } from '@waymark/shared/contract/webhook-events';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { WebhookContext } from '../context.js';
import { knownAddresses } from '../outbound/guard.js';

/** What this deployment does not take of these fields. */
export function checkEndpoint(
  ctx: WebhookContext,
  fields: { url?: string; event_types?: readonly string[] },
): FieldProblems {
  const details: FieldProblems = {};
  const unknown = (fields.event_types ?? []).filter((type) => !isKnown(ctx, type));
  if (unknown.length > 0) details['event_types'] = [`The event_types must be known; unknown: ${unknown.join(', ')}.`];
  const problem = fields.url === undefined ? null : problemOf(ctx, new URL(fields.url));
  if (problem) details['url'] = [problem];
  return details;
}

function isKnown(ctx: WebhookContext, type: string): boolean {
  return WEBHOOK_EVENT_TYPES[ctx.config.DEPLOYMENT].includes(type);
}

/**
 * A name is not resolved here: the answer would tell which names there are in the networks of this installation. Each
 * connection resolves and checks it.
 */
function problemOf(ctx: WebhookContext, url: URL): string | null {
  if (url.protocol !== 'https:' && !ctx.config.WEBHOOK_ALLOW_HTTP) return 'The url must be an https URL.';
  const addresses = knownAddresses(url) ?? [];
  return addresses.every((address) => ctx.policy.allows(address)) ? null : 'The url must lead to a public address.';
}
