import { urlNotAllowed, type FieldProblems } from '@waymark/contract/problems';
import { withoutPort } from '@waymark/contract/short-hosts';
import type { DestinationContext } from './context.js';

/**
 * Rejects a destination on a short host, with any port: the default one, or a custom one of any workspace. It could
 * redirect in a loop.
 */
export async function checkDestination(
  ctx: DestinationContext,
  destinationUrl: string | undefined,
): Promise<FieldProblems> {
  const [problems] = await checkDestinations(ctx, [destinationUrl]);
  return problems!;
}

/** Returns the problems of each destination. */
export async function checkDestinations(
  { leadsToShortHost, domains }: DestinationContext,
  destinationUrls: (string | undefined)[],
): Promise<FieldProblems[]> {
  const urls = destinationUrls.map((text) => (text === undefined ? null : URL.parse(text)));
  const served = await domains.findServedHosts([
    ...new Set(urls.flatMap((url) => (url ? withoutPort(url.hostname) : []))),
  ]);
  return urls.map((url): FieldProblems => {
    if (!url || (!leadsToShortHost(url) && !served.has(withoutPort(url.hostname)))) return {};
    return { destination_url: [urlNotAllowed('destination_url', 'not be one of our own short hosts')] };
  });
}
