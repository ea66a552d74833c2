import type { LinkSnapshot } from '@waymark/contract/events';
import { conflicting } from '@waymark/contract/problems';
import { findLink } from '@waymark/contract/requests';
import type { Requester } from '@waymark/kernel/broker/requests';
import { invalid, missing } from '@waymark/kernel/errors';
import type { LinkNames } from './conversion.js';

const OWNER_TIMEOUT_MS = 3000;

export interface LinkFinderContext {
  requester: Requester;
}

/**
 * Asks the owner for the link that a conversion names by its id, its short code or both. Does not use the local copy,
 * which may be stale: the attribution of a conversion is final.
 * @throws AppError `not_found`, or `validation_failed` when the two names belong to different links
 * @throws BrokerUnavailable when the owner does not answer
 */
export async function findConvertedLink(
  ctx: LinkFinderContext,
  workspace: string,
  names: LinkNames,
): Promise<LinkSnapshot> {
  const { id, short_code: shortCode } = names;
  const name = id ? ({ by: 'id', value: id } as const) : ({ by: 'short_code', value: shortCode! } as const);
  const { link } = await ctx.requester.ask(findLink, { workspace, ...name }, OWNER_TIMEOUT_MS);
  if (!link) throw noLink(name);
  if (!namesSameLink(link, names))
    throw invalid({ short_code: [conflicting('The short_code and the id must name the same link.', 'id')] });
  return link;
}

const noLink = ({ by, value }: { by: 'id' | 'short_code'; value: string }) =>
  missing(by === 'id' ? 'link' : 'link with the short_code', value);

function namesSameLink(link: LinkSnapshot, { short_code: shortCode }: LinkNames): boolean {
  if (!shortCode) return true;
  const codes = [link, ...(link.former_codes ?? [])].map((place) => place.short_code.toLowerCase());
  return codes.includes(shortCode.toLowerCase());
}
