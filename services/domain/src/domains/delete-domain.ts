import type { EventContext } from '@waymark/contract/event';
import { domainDeleted } from '@waymark/contract/events';
import type { Quota } from '@waymark/kernel/mongo/quota';
import { missing } from '@waymark/kernel/errors';
import type { CheckCurrent } from '@waymark/kernel/http/conditional';
import type { ChangeContext } from './change-domain.js';
import { auditTarget, domainSnapshot, type Domain } from './domain.js';

/** Deletes the row with its challenge: a later registration of the hostname gets a new one. */
export async function deleteDomain(
  ctx: ChangeContext & { quota: Quota },
  event: EventContext,
  { workspace, id, check }: { workspace: string; id: string; check: CheckCurrent<Domain> | undefined },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const domain = await ctx.domains.deleteDomain(workspace, id, tx.session);
    if (!domain) throw missing('domain', id);
    check?.(domain);
    await ctx.quota.releaseUnits({ owner: workspace }, tx.session);
    const last = { ...domain, revision: domain.revision + 1 };
    tx.emit(domainDeleted.create(event, { domain: domainSnapshot(last) }, { target: auditTarget(last), changes: {} }));
  });
}
