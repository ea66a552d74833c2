import type { DomainSettings } from '@waymark/contract/domains';
import type { EventContext } from '@waymark/contract/event';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import { changeDomain, type ChangeContext } from './change-domain.js';
import { refuseLoops, storedSettings } from './domain-settings.js';
import type { Domain } from './domain.js';
import type { ServedHosts } from './redirect-loop.js';

interface DomainUpdate {
  workspace: string;
  id: string;
  input: DomainSettings;
  /** The caller's precondition on the current version. */
  check: CheckCurrent<Domain> | undefined;
}

export async function updateDomain(
  ctx: ChangeContext & ServedHosts,
  event: EventContext,
  { workspace, id, input, check }: DomainUpdate,
): Promise<Domain> {
  const settings = storedSettings(input);
  return changeDomain(ctx, { workspace, id, event }, async (before, { session }) => {
    check?.(before);
    const changed = Object.entries(settings).filter(([field, value]) => value !== (before[field as never] ?? null));
    if (changed.length === 0) return before;
    const urls = { hostname: before.hostname, ...Object.fromEntries(changed) };
    await refuseLoops(ctx, urls, session);
    return { ...before, ...settings };
  });
}
