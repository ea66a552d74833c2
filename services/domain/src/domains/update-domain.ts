import type { UpdateDomainBody } from '@waymark/contract/domains';
import type { EventContext } from '@waymark/contract/event';
import { invalid } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { DomainContext } from '../context.js';
import { changeDomain } from './change-domain.js';
import { leadsToUs } from './check-not-found-url.js';
import type { Domain } from './domain.js';

export async function updateDomain(
  ctx: DomainContext,
  event: EventContext,
  workspace: string,
  { id, input, check }: { id: string; input: UpdateDomainBody; check: CheckCurrent<Domain> | undefined },
): Promise<Domain> {
  const { not_found_url: notFoundUrl } = input;
  return changeDomain(ctx, event, workspace, id, async (before, { session }) => {
    check?.(before);
    if (notFoundUrl === undefined || notFoundUrl === before.notFoundUrl) return before;
    if (notFoundUrl && (await leadsToUs(ctx, before, notFoundUrl, session))) {
      throw invalid({
        not_found_url: ['The not_found_url must not lead to this domain, or to any host that serves links.'],
      });
    }
    return { ...before, notFoundUrl };
  });
}
