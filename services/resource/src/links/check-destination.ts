import { parseUrl } from '@waymark/shared/contract/url';
import { withoutPort } from '@waymark/shared/kernel/config';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { ResourceContext } from '../context.js';

/**
 * A destination on a host of ours, on any port, would redirect to itself, or in a circle: the default short host, or a
 * custom one of any workspace.
 */
export async function checkDestination(
  { shortHosts, domains }: Pick<ResourceContext, 'shortHosts' | 'domains'>,
  destinationUrl: string | undefined,
): Promise<FieldProblems> {
  const url = destinationUrl === undefined ? null : parseUrl(destinationUrl);
  if (!url) return {};
  const host = withoutPort(url.hostname);
  if (!shortHosts.has(host) && !(await domains.isServed(host))) return {};
  return { destination_url: ['The destination_url must not be one of our own short hosts.'] };
}
