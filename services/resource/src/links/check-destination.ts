import { parseUrl } from '@waymark/shared/contract/url';
import { withoutPort } from '@waymark/shared/kernel/config';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { ResourceContext } from '../context.js';

type Hosts = Pick<ResourceContext, 'shortHosts' | 'domains'>;

/**
 * A destination on a host of ours, on any port, would redirect to itself, or in a circle: the default short host, or a
 * custom one of any workspace.
 */
export async function checkDestination(hosts: Hosts, destinationUrl: string | undefined): Promise<FieldProblems> {
  const [problems] = await checkDestinations(hosts, [destinationUrl]);
  return problems!;
}

/** The problems of each. */
export async function checkDestinations(
  { shortHosts, domains }: Hosts,
  destinationUrls: (string | undefined)[],
): Promise<FieldProblems[]> {
  const hosts = destinationUrls.map(hostOf);
  const served = await domains.servedAmong([...new Set(hosts.flatMap((host) => host ?? []))]);
  return hosts.map((host): FieldProblems => {
    if (host === undefined || (!shortHosts.has(host) && !served.has(host))) return {};
    return { destination_url: ['The destination_url must not be one of our own short hosts.'] };
  });
}

function hostOf(destinationUrl: string | undefined): string | undefined {
  const url = destinationUrl === undefined ? null : parseUrl(destinationUrl);
  return url ? withoutPort(url.hostname) : undefined;
}
