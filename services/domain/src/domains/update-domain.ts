import type { UpdateDomainBody } from '@waymark/contract/domains';
import type { EventContext } from '@waymark/contract/event';
import { urlNotAllowed } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import { changeDomain, type ChangeContext } from './change-domain.js';
import { leadsToServedHost, type ServedHosts } from './redirect-loop.js';
import type { Domain } from './domain.js';

interface DomainUpdate {
  workspace: string;
  id: string;
  input: UpdateDomainBody;
  /** The caller's precondition on the current version. */
  check: CheckCurrent<Domain> | undefined;
}

export async function updateDomain(
  ctx: ChangeContext & ServedHosts,
  event: EventContext,
  { workspace, id, input, check }: DomainUpdate,
): Promise<Domain> {
  const { not_found_url: notFoundUrl } = input;
  return changeDomain(ctx, { workspace, id, event }, async (before, { session }) => {
    check?.(before);
    if (notFoundUrl === undefined || notFoundUrl === before.notFoundUrl) return before;
    if (notFoundUrl && (await leadsToServedHost(ctx, { hostname: before.hostname, notFoundUrl }, session))) {
      throw invalid({
        not_found_url: [urlNotAllowed('not_found_url', 'not lead to this domain, or to any host that serves links')],
      });
    }
    return { ...before, notFoundUrl };
  });
}
