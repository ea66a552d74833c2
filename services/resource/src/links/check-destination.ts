import { withoutPort } from '@waymark/shared/kernel/config';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';
import type { ResourceContext } from '../context.js';

type Hosts = Pick<ResourceContext, 'leadsToShortHost' | 'domains'>;

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
  { leadsToShortHost, domains }: Hosts,
  destinationUrls: (string | undefined)[],
): Promise<FieldProblems[]> {
  const urls = destinationUrls.map((text) => (text === undefined ? null : URL.parse(text)));
  const served = await domains.servedAmong([...new Set(urls.flatMap((url) => (url ? withoutPort(url.hostname) : [])))]);
  return urls.map((url): FieldProblems => {
    if (!url || (!leadsToShortHost(url) && !served.has(withoutPort(url.hostname)))) return {};
    return { destination_url: ['The destination_url must not be one of our own short hosts.'] };
  });
}
