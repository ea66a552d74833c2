import { parseUrl } from '@waymark/shared/contract/url';
import { withoutPort } from '@waymark/shared/kernel/config';
import type { FieldProblems } from '@waymark/shared/kernel/http/input';

/** A destination on one of our own short hosts, on any port, would redirect to itself, or in a circle. */
export function checkDestination(destinationUrl: string | undefined, ownHosts: ReadonlySet<string>): FieldProblems {
  const url = destinationUrl === undefined ? null : parseUrl(destinationUrl);
  if (!url || !ownHosts.has(withoutPort(url.hostname))) return {};
  return { destination_url: ['The destination_url must not be one of our own short hosts.'] };
}
