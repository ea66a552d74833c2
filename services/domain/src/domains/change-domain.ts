import { changesBetween } from '@waymark/contract/audit-changes';
import type { EventContext } from '@waymark/contract/event';
import { domainUpdated, type domainCheckRequested } from '@waymark/contract/events';
import type { Transaction } from '@waymark/kernel/mongo/database';
import { notFound } from '@waymark/kernel/errors';
import type { DomainContext } from '../context.js';
import { AUDITED, auditTargetOf, snapshotOf, type Domain } from './domain.js';

/**
 * Applies a user's change; a visible change emits one event.
 * @param request the event that carries the audit entry instead, also when nothing visible changes
 */
export async function changeDomain(
  ctx: DomainContext,
  event: EventContext,
  workspace: string,
  id: string,
  change: (before: Domain, tx: Transaction) => Domain | Promise<Domain>,
  request?: typeof domainCheckRequested,
): Promise<Domain> {
  return ctx.db.transaction(async (tx) => {
    const before = await ctx.domains.byId(workspace, id, tx.session);
    if (!before) throw notFound();
    const after = await change(before, tx);
    if (after === before) return before;
    const changes = changesBetween(AUDITED, before, after);
    const entry = { target: auditTargetOf(after), changes };
    if (Object.keys(changes).length > 0) {
      after.revision = before.revision + 1;
      tx.emit(domainUpdated.create(event, { domain: snapshotOf(after) }, request ? undefined : entry));
    }
    if (request) tx.emit(request.create({ ...event, id: undefined }, { domain: snapshotOf(after) }, entry));
    await ctx.domains.update(after, tx.session);
    return after;
  });
}
