import type { LinkStore } from '../links/store.js';
import type { Link } from '../links/link.js';
import type { VocabularyStore } from '../rollups/vocabulary-store.js';

const LINKS_MAX = 1000;
const CAMPAIGNS_MAX = 10_000;

export interface FiltersContext {
  links: LinkStore;
  vocabularies: VocabularyStore;
}

/** The links and campaigns that figures can be asked for; campaigns of the links, and those that scans have had. */
export async function listFilters(
  { links, vocabularies }: FiltersContext,
  workspace: string,
  search: string | undefined,
): Promise<{ links: Link[]; campaigns: string[] }> {
  const [latest, ofLinks, ofScans] = await Promise.all([
    links.latestScanned(workspace, search, LINKS_MAX),
    links.campaigns(workspace, CAMPAIGNS_MAX),
    vocabularies.campaigns(workspace),
  ]);
  const campaigns = [...new Set([...ofLinks, ...ofScans])].sort().slice(0, CAMPAIGNS_MAX);
  return { links: latest, campaigns };
}

export function presentFilterLink({ _id, shortCode, title }: Link) {
  return { id: _id, short_code: shortCode, title };
}
