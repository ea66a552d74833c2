import { invalid } from '@waymark/shared/kernel/errors';

/** A destination on one of our own short hosts would redirect to itself, or in a circle. */
export function checkDestination(destinationUrl: string, ownHosts: ReadonlySet<string>): void {
  if (ownHosts.has(new URL(destinationUrl).host.toLowerCase())) {
    throw invalid({ destination_url: ['The destination_url must not be one of our own short hosts.'] });
  }
}
