import type { EventContext } from '@waymark/contract/event';
import { domainUpdated, type domainCheckRequested } from '@waymark/contract/events';
import type { Database, Transaction } from '@waymark/kernel/mongo/database';
import { missing } from '@waymark/kernel/errors';
import type { DomainStore } from './domain-store.js';
import { auditTarget, domainChanges, domainSnapshot, type Domain } from './domain.js';

export interface ChangeContext {
  db: Database;
  domains: DomainStore;
}

interface ChangeRequest {
  workspace: string;
  id: string;
  event: EventContext;
  /** The event that carries the audit entry instead, also when nothing visible changes. */
  requestEvent?: typeof domainCheckRequested;
}

/** Applies a user's change; a visible change emits one event. */
export async function changeDomain(
  ctx: ChangeContext,
  { workspace, id, event, requestEvent }: ChangeRequest,
  change: (before: Domain, tx: Transaction) => Domain | Promise<Domain>,
): Promise<Domain> {
  return ctx.db.transaction(async (tx) => {
    const before = await ctx.domains.domainById(workspace, id, tx.session);
    if (!before) throw missing('domain', id);
    const after = await change(before, tx);
    if (after === before) return before;
    const changes = domainChanges(before, after);
    const entry = { target: auditTarget(after), changes };
    if (Object.keys(changes).length > 0) {
      after.revision = before.revision + 1;
      tx.emit(domainUpdated.create(event, { domain: domainSnapshot(after) }, requestEvent ? undefined : entry));
    }
    if (requestEvent)
      tx.emit(requestEvent.create({ ...event, id: undefined }, { domain: domainSnapshot(after) }, entry));
    await ctx.domains.replaceDomain(after, tx.session);
    return after;
  });
}
