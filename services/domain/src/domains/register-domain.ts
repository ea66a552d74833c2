import { parse } from 'tldts';
import type { CreateDomainBody } from '@waymark/contract/domains';
import type { EventContext } from '@waymark/contract/event';
import { domainCreated } from '@waymark/contract/events';
import type { WorkspaceAccess } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import type { Plan } from '@waymark/contract/plans';
import { hostnameNotAllowed, hostnameTaken, type Problem } from '@waymark/contract/problems';
import { invalid, isDuplicateKey } from '@waymark/kernel/errors';
import type { Quota } from '@waymark/kernel/mongo/quota';
import type { ChangeContext } from './change-domain.js';
import { newChallenge } from './challenge.js';
import { refuseLoops, storedSettings } from './domain-settings.js';
import { auditTarget, domainChanges, domainSnapshot, type Domain } from './domain.js';
import type { ServedHosts } from './redirect-loop.js';

/** A list of domains has no pages. */
export const DOMAINS_MAX = 1000;

export interface RegisterContext extends ChangeContext, ServedHosts {
  quota: Quota;
  /** Maximum number of domains for a workspace whose plan has no limit. */
  domainsMax: number;
}

/**
 * The first check is due at once. Several workspaces may register the same hostname; the first to verify it gets it.
 */
export async function registerDomain(
  ctx: RegisterContext,
  event: EventContext,
  { workspace, input }: { workspace: WorkspaceAccess; input: CreateDomainBody },
): Promise<Domain> {
  const { hostname } = input;
  const problem = hostnameProblem(hostname, ctx.ownHosts);
  if (problem) throw invalidHostname(problem);
  const limit = domainLimitOf(ctx, workspace.plan);
  await ctx.quota.prepareReservation(workspace.slug, limit);
  const now = await ctx.db.now();
  try {
    return await ctx.db.transaction(async (tx) => {
      // First, because this row serializes the registrations of one workspace.
      await ctx.quota.reserveUnits({ owner: workspace.slug, limit }, tx.session);
      if (await ctx.domains.servingDomain(hostname, tx.session))
        throw invalidHostname(hostnameTaken('is already in use'));
      const domain = { ...newDomain(event, { workspace: workspace.slug, hostname, now }), ...storedSettings(input) };
      await refuseLoops(ctx, domain, tx.session);
      await ctx.domains.insertDomain(domain, tx.session);
      const changes = domainChanges(null, domain);
      tx.emit(
        domainCreated.create(event, { domain: domainSnapshot(domain) }, { target: auditTarget(domain), changes }),
      );
      return domain;
    });
  } catch (error) {
    if (isDuplicateKey(error)) throw invalidHostname(hostnameTaken('is already registered in this workspace'));
    throw error;
  }
}

/** Returns how many domains a workspace on this plan may have. */
export const domainLimitOf = ({ domainsMax }: Pick<RegisterContext, 'domainsMax'>, { customDomains }: Plan): number =>
  Math.min(customDomains ?? Infinity, domainsMax);

const invalidHostname = (problem: Problem) => invalid({ hostname: [problem] });

function newDomain(
  event: EventContext,
  { workspace, hostname, now }: { workspace: string; hostname: string; now: Date },
): Domain {
  return {
    _id: newId('dom'),
    workspace,
    hostname,
    challenge: newChallenge(),
    status: 'pending',
    statusSince: now,
    rootUrl: null,
    notFoundUrl: null,
    expiredUrl: null,
    isIndexable: false,
    appleAppSiteAssociation: null,
    assetlinks: null,
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

/**
 * @param ownHosts hosts of this installation, which workspaces cannot register
 * @returns why this hostname (as `toHostname` spells it) cannot be registered, or null
 */
function hostnameProblem(hostname: string, ownHosts: ReadonlySet<string>): Problem | null {
  if (ownHosts.has(hostname)) return hostnameNotAllowed('is one of our own');
  const { domain, isIcann, isSpecialUse } = parse(hostname, { detectSpecialUse: true });
  if (domain === null) return hostnameNotAllowed('is a public suffix, below which others register their names');
  const isReserved = isSpecialUse && !/(^|\.)example\.(com|net|org)$/.test(hostname);
  // Names below a top level that ICANN has not delegated have no owner, and `arpa` is for addresses.
  if (!isIcann || isReserved || hostname.endsWith('.arpa'))
    return hostnameNotAllowed('is not a name of the public DNS');
  return null;
}
