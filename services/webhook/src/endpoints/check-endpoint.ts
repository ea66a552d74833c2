import type { Deployment } from '@waymark/contract/deployments';
import { entriesNotAllowed, urlNotAllowed, type Problem, type FieldProblems } from '@waymark/contract/problems';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import type { WebhookConfig } from '../config.js';
import type { AddressPolicy } from '@waymark/kernel/http/address-policy';
import { hostOf, knownAddresses } from '../http/connector.js';

export interface CheckContext {
  config: Pick<WebhookConfig, 'DEPLOYMENT' | 'WEBHOOK_ALLOW_HTTP'>;
  policy: AddressPolicy;
}

/** Returns the problems that this deployment has with these fields. */
export function checkEndpoint(
  ctx: CheckContext,
  fields: { url?: string; event_types?: readonly string[] },
): FieldProblems {
  const problems = checkEventTypes(ctx.config.DEPLOYMENT, fields.event_types ?? []);
  const urlProblem = fields.url === undefined ? null : urlProblemOf(ctx, new URL(fields.url));
  return urlProblem ? { ...problems, url: [urlProblem] } : problems;
}

export function checkEventTypes(deployment: Deployment, types: readonly string[]): FieldProblems {
  const known = WEBHOOK_EVENT_TYPES[deployment];
  const unknown = types.filter((type) => !known.includes(type));
  if (unknown.length === 0) return {};
  const hint = unknown.includes(WEBHOOK_TEST) ? ` ${WEBHOOK_TEST} is sent by POST …/test alone.` : '';
  const message = `The event_types do not exist: ${unknown.join(', ')}. Use ${known.join(', ')}.${hint}`;
  return { event_types: [entriesNotAllowed(message, { values: known })] };
}

/** Other ports belong to services that are no HTTP servers, such as mail and SSH. */
const isAllowedPort = (port: string): boolean => ['', '80', '443'].includes(port) || Number(port) >= 1024;

/**
 * Does not resolve names: the answer would reveal which names exist in the networks of this installation. Each
 * connection resolves and checks the name.
 */
function urlProblemOf({ config, policy }: CheckContext, url: URL): Problem | null {
  if (!isAllowedPort(url.port)) return urlNotAllowed('url', 'have the port 80, 443, or one of 1024 or higher');
  if (url.protocol !== 'https:' && !config.WEBHOOK_ALLOW_HTTP) return urlNotAllowed('url', 'be an https URL');
  const addresses = knownAddresses(hostOf(url)) ?? [];
  return addresses.every((address) => policy.allowsAddress(address))
    ? null
    : urlNotAllowed('url', 'lead to a public address');
}
