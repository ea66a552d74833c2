import { changesBetween } from '@waymark/contract/audit-changes';
import type { EventContext } from '@waymark/contract/event';
import { domainCreated } from '@waymark/contract/events';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import { invalid, isDuplicateKey } from '@waymark/kernel/errors';
import type { DomainContext } from '../context.js';
import { newChallenge } from './challenge.js';
import { problemOf } from './check-hostname.js';
import { AUDITED, auditTargetOf, snapshotOf, type Domain } from './domain.js';

/**
 * The first check is due at once. Several workspaces may register the same hostname; the first to verify it gets it.
 */
export async function registerDomain(
  ctx: DomainContext,
  event: EventContext,
  workspace: WorkspaceAccess,
  hostname: string,
): Promise<Domain> {
  const problem = problemOf(hostname, ctx);
  if (problem) throw badHostname(problem);
  const limit = Math.min(workspace.plan.customDomains ?? Infinity, ctx.config.DOMAINS_MAX);
  await ctx.quota.prepareReservation(workspace.slug, limit);
  const now = await ctx.db.now();
  try {
    return await ctx.db.transaction(async (tx) => {
      // First, because this row serializes the registrations of one workspace.
      await ctx.quota.reserveUnits({ owner: workspace.slug, limit }, tx.session);
      if (await ctx.domains.holderOf(hostname, tx.session)) throw badHostname('The hostname is already in use.');
      const domain = newDomain(workspace.slug, hostname, event, now);
      await ctx.domains.insert(domain, tx.session);
      const changes = changesBetween(AUDITED, null, domain);
      tx.emit(domainCreated.create(event, { domain: snapshotOf(domain) }, { target: auditTargetOf(domain), changes }));
      return domain;
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw badHostname('The hostname is already registered in this workspace.');
    throw error;
  }
}

const badHostname = (problem: string) => invalid({ hostname: [problem] });

function newDomain(workspace: string, hostname: string, event: EventContext, now: Date): Domain {
  return {
    _id: newId('dom'),
    workspace,
    hostname,
    challenge: newChallenge(),
    status: 'pending',
    statusSince: now,
    notFoundUrl: null,
    verifiedAt: null,
    lastCheckedAt: null,
    lastError: null,
    checks: 0,
    misses: 0,
    nextCheckAt: now,
    checkNo: 0,
    checkedNo: 0,
    createdBy: event.actor?.id ?? null,
    createdAt: now,
    revision: 1,
  };
}
