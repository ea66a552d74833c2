import { findDomain, resolveHost } from '@waymark/contract/requests';
import type { DomainContext } from './context.js';
import { isServing } from './domain-store.js';

const RESPONSE_TIMEOUT_MS = 2000;

/**
 * Returns whether this domain can take links. A domain verified a moment ago may be missing here, so this asks the
 * domain service before it refuses.
 */
export async function ensureDomainUsable(
  { domains, requester }: DomainContext,
  workspace: string,
  id: string,
): Promise<boolean> {
  const known = await domains.findDomain(workspace, id);
  if (known && (isServing(known) || known.status === 'deleted')) return isServing(known);
  const { domain } = await requester.ask(findDomain, { workspace, id }, RESPONSE_TIMEOUT_MS);
  if (!domain) return false;
  await domains.applySnapshot(workspace, domain);
  return isServing(domain);
}

/** Asks the domain service for the workspace that has the host now: received events may be outdated. */
export async function fetchHostOwner(
  { requester }: Pick<DomainContext, 'requester'>,
  hostname: string,
): Promise<string | null> {
  const { owner } = await requester.ask(resolveHost, { hostname }, RESPONSE_TIMEOUT_MS);
  return owner && owner.workspace;
}
