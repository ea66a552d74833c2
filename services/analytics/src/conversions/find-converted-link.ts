import type { RecordConversionBody } from '@waymark/shared/contract/conversions';
import { findLink } from '@waymark/shared/contract/requests';
import type { Requester } from '@waymark/shared/kernel/broker/requests';
import { invalid, notFound } from '@waymark/shared/kernel/errors';
import { codeKey, linkOf, type Link } from '../links/link.js';
import type { LinkStore } from '../links/store.js';

const OWNER_TIMEOUT_MS = 3000;

export interface LinkFinderContext {
  links: LinkStore;
  requester: Requester;
}

type Names = Pick<RecordConversionBody, 'id' | 'short_code'>;

/**
 * The link that a conversion names by its id, its short code or both. Our copy may be a moment behind, so nothing is
 * refused before the link's owner was asked.
 * @throws AppError `not_found`, or `validation_failed` where the two names are of different links
 */
export async function findConvertedLink(ctx: LinkFinderContext, workspace: string, names: Names): Promise<Link> {
  const known = await findInCopy(ctx, workspace, names);
  if (known && agrees(known, names)) return known;
  const link = await askOwner(ctx, workspace, names);
  if (!link) throw notFound();
  if (!agrees(link, names)) throw invalid({ short_code: ['The short_code and the id must name the same link.'] });
  return link;
}

function findInCopy({ links }: LinkFinderContext, workspace: string, { id, short_code: shortCode }: Names) {
  return id ? links.byId(workspace, id) : links.byCode(workspace, shortCode!);
}

async function askOwner(
  { requester }: LinkFinderContext,
  workspace: string,
  { id, short_code: shortCode }: Names,
): Promise<Link | null> {
  const by = id ? ({ by: 'id', value: id } as const) : ({ by: 'short_code', value: shortCode! } as const);
  const { link } = await requester.ask(findLink, { workspace, ...by }, OWNER_TIMEOUT_MS);
  return link && linkOf(workspace, link);
}

function agrees(link: Link, { short_code: shortCode }: Names): boolean {
  return !shortCode || [link.codeKey, ...(link.formerKeys ?? [])].includes(codeKey(shortCode));
}
