import type { Plan } from '@waymark/contract/plans';
import type { ResourceUsage } from '@waymark/contract/quota';
import { findContentUsage } from '@waymark/contract/requests';
import type { Broker } from '@waymark/kernel/broker/connection';
import { serveRequests } from '@waymark/kernel/broker/requests';
import type { ContentType } from '../links/content-type.js';
import { totalLimitOf, type StatusCounts } from '../links/status-counts.js';
import type { Caps } from '../organize/caps.js';

interface UsageContext {
  contentType: ContentType;
  counts: StatusCounts;
  caps: Caps;
}

/** Answers auth how many links, folders, tags and templates a workspace has, and how many it may have. */
export function serveUsageRequests({ broker }: { broker: Broker }, ctx: UsageContext): void {
  serveRequests(broker, findContentUsage, async ({ workspace, plan }) => ({
    usage: { ...(await countLinks(ctx, workspace, plan)), ...(await countContainers(ctx, workspace)) },
  }));
}

async function countLinks({ contentType, counts }: UsageContext, workspace: string, plan: Plan) {
  const [active, total] = await Promise.all([counts.active.countUsed(workspace), counts.total.countUsed(workspace)]);
  return {
    [contentType.counted.active]: { used: active, limit: plan.activeLinks },
    [contentType.counted.total]: { used: total, limit: totalLimitOf(counts, { plan }) },
  };
}

/** QR codes have neither folders nor tags nor templates. */
async function countContainers(
  { contentType, caps }: UsageContext,
  workspace: string,
): Promise<Record<string, ResourceUsage>> {
  if (contentType.target === 'qr_code') return {};
  const count = async ({ quota, max }: Caps[keyof Caps]): Promise<ResourceUsage> => ({
    used: await quota.countUsed(workspace),
    limit: max,
  });
  const [folders, tags, templates] = await Promise.all([caps.folders, caps.tags, caps.utmTemplates].map(count));
  return { folders: folders!, tags: tags!, utm_templates: templates! };
}
