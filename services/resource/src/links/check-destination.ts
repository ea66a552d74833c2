import { urlNotAllowed, type FieldProblems } from '@waymark/contract/problems';
import { withoutPort } from '@waymark/contract/short-hosts';
import type { DestinationContext } from './context.js';
import { destinationsIn, type DestinationInput } from './destinations.js';

/**
 * Rejects destinations on a short host, with any port: the default one, or a custom one of any workspace. They could
 * redirect in a loop. @returns the problems of each body
 */
export async function checkDestinations(
  { leadsToShortHost, domains }: DestinationContext,
  bodies: readonly DestinationInput[],
): Promise<FieldProblems[]> {
  const parsed = bodies.map((body) =>
    destinationsIn(body).flatMap(({ field, url: text }) => {
      const url = URL.parse(text);
      return url ? [{ field, url }] : [];
    }),
  );
  const hostnames = parsed.flat().map(({ url }) => withoutPort(url.hostname));
  const served = await domains.findServedHosts([...new Set(hostnames)]);
  const isLoop = (url: URL) => leadsToShortHost(url) || served.has(withoutPort(url.hostname));
  return parsed.map((destinations) =>
    Object.fromEntries(
      destinations
        .filter(({ url }) => isLoop(url))
        .map(({ field }) => [field, [urlNotAllowed(field, 'not be one of our own short hosts')]]),
    ),
  );
}
