import { EVERY, oneOf } from '@waymark/contract/common';
import { rangeProblems } from '@waymark/contract/date-or-time';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import type { FieldProblems } from '@waymark/kernel/http/input';
import type { WebhookContext } from '../context.js';
import { knownAddresses } from '../outbound/guard.js';

/** Returns the problems that this deployment has with these fields. */
export function checkEndpoint(
  ctx: WebhookContext,
  fields: { url?: string; event_types?: readonly string[] },
): FieldProblems {
  const details: FieldProblems = {};
  const unknown = (fields.event_types ?? []).filter((type) => !isKnown(ctx, type));
  if (unknown.length > 0) details['event_types'] = [unknownTypes(unknown, WEBHOOK_EVENT_TYPES[ctx.config.DEPLOYMENT])];
  const problem = fields.url === undefined ? null : problemOf(ctx, new URL(fields.url));
  if (problem) details['url'] = [problem];
  return details;
}

/** Returns the problems that this deployment has with the filters of the delivery log. */
export function checkFilters(
  ctx: WebhookContext,
  { event_type: type, ...range }: { event_type?: string; from?: string; to?: string },
): FieldProblems {
  const problems: FieldProblems = rangeProblems(range);
  const known: string[] = [EVERY, ...WEBHOOK_EVENT_TYPES[ctx.config.DEPLOYMENT], WEBHOOK_TEST];
  if (type === undefined || known.includes(type)) return problems;
  return { ...problems, event_type: [`The event_type must be ${oneOf(known)}.`] };
}

function unknownTypes(unknown: readonly string[], known: readonly string[]): string {
  const reason = unknown.includes(WEBHOOK_TEST) ? ` ${WEBHOOK_TEST} is sent by POST …/test alone.` : '';
  return `The event_types do not exist: ${unknown.join(', ')}. Use ${known.join(', ')}.${reason}`;
}

function isKnown(ctx: WebhookContext, type: string): boolean {
  return WEBHOOK_EVENT_TYPES[ctx.config.DEPLOYMENT].includes(type);
}

/**
 * Does not resolve names: the answer would reveal which names exist in the networks of this installation. Each
 * connection resolves and checks the name.
 */
function problemOf(ctx: WebhookContext, url: URL): string | null {
  if (url.protocol !== 'https:' && !ctx.config.WEBHOOK_ALLOW_HTTP) return 'The url must be an https URL.';
  const addresses = knownAddresses(url) ?? [];
  return addresses.every((address) => ctx.policy.allows(address)) ? null : 'The url must lead to a public address.';
}
