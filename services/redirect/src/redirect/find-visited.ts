import type { Host, HostRecord } from '../hosts/host.js';
import type { LookUp } from '../read-model/finder.js';
import type { ReadModel } from '../read-model/read-model.js';
import type { LinkAddress } from '../targets/target-model.js';
import type { TargetRecord } from '../targets/target-record.js';
import type { RedirectTarget } from '../targets/target.js';
import { isMiss, type DecisionContext, type Found, type RedirectRequest } from './decide.js';
import type { ShortHosts } from './short-hosts.js';

export interface FindContext extends DecisionContext {
  shortHosts: ShortHosts;
  hosts: Pick<ReadModel<HostRecord, Host, string>, 'finder'>;
  targets: Pick<ReadModel<TargetRecord, RedirectTarget, LinkAddress>, 'finder'>;
}

/** Looks up what is not in memory. @throws LookupFailed */
export async function findVisited(
  { hosts, targets }: FindContext,
  { hostname, path }: RedirectRequest,
  lookUp: LookUp,
): Promise<Pick<Found, 'host' | 'target'>> {
  const host = hostname === null ? null : await hosts.finder.findEntry(hostname, lookUp);
  const isLink = path !== undefined && !isMiss(host);
  const target = isLink ? await targets.finder.findEntry({ hostname, shortCode: path.shortCode }, lookUp) : 'absent';
  return { host, target };
}
