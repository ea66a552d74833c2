import { changesBetween } from '@waymark/shared/contract/audit-changes';
import type { EventContext } from '@waymark/shared/contract/event';
import { domainUpdated } from '@waymark/shared/contract/events';
import type { Transaction } from '@waymark/shared/kernel/database';
import { AppError, notFound } from '@waymark/shared/kernel/errors';
import type { DomainContext } from '../context.js';
import { AUDITED, auditTargetOf, snapshotOf, type Domain } from './domain.js';

const ATTEMPTS_MAX = 5;

/** A change that a person asks for; one that others must know of makes one event. */
export async function changeDomain(
  ctx: DomainContext,
  event: EventContext,
  workspace: string,
  id: string,
  change: (before: Domain) => Domain,
): Promise<Domain> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const changed = await ctx.db.transaction((tx) => tryChange(ctx, tx, event, workspace, id, change));
    if (changed !== 'changed_meanwhile') return changed;
  }
  throw new AppError('conflict', 'The domain is being changed by others. Try again.');
}

async function tryChange(
  ctx: DomainContext,
  tx: Transaction,
  event: EventContext,
  workspace: string,
  id: string,
  change: (before: Domain) => Domain,
): Promise<Domain | 'changed_meanwhile'> {
  const before = await ctx.domains.byId(workspace, id, tx.session);
  if (!before) throw notFound();
  const after = change(before);
  if (after === before) return before;
  const changes = changesBetween(AUDITED, before, after);
  if (Object.keys(changes).length > 0) {
    after.revision = before.revision + 1;
    tx.emit(domainUpdated.create(event, { domain: snapshotOf(after) }, { target: auditTargetOf(after), changes }));
  }
  const outcome = await ctx.domains.update(before, after, tx.session);
  return outcome === 'updated' ? after : outcome;
}
