import type { Deployment } from '@waymark/contract/deployments';
import type { Plan } from '@waymark/contract/plans';
import { COUNTED_RESOURCES, type ResourceUsage } from '@waymark/contract/quota';
import { findContentUsage, findDomainUsage, findWebhookUsage } from '@waymark/contract/requests';
import type { WorkspaceDetailsBody } from '@waymark/contract/workspaces';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { Log } from '@waymark/kernel/process/log';
import type { WorkspaceStore } from './workspace-store.js';

/** A service that does not answer in this time leaves its counts unknown. */
const TIMEOUT_MS = 1000;

const QUESTIONS = { resource: findContentUsage, domain: findDomainUsage, webhook: findWebhookUsage } as const;
const SERVICES = ['resource', 'domain', 'webhook'] as const;
type Service = (typeof SERVICES)[number];

export interface UsageContext {
  config: { DEPLOYMENT: Deployment; MAX_TOKENS_PER_WORKSPACE: number; MAX_MEMBERS_PER_WORKSPACE: number };
  log: Log;
  requester: Requester;
  workspaces: Pick<WorkspaceStore, 'countMembers'>;
  tokens: { countTokens(workspace: string): Promise<number> };
}

type Usage = WorkspaceDetailsBody['usage'];

/** Asks the services that count the things of a workspace; a count that is not known in time is `null`. */
export async function findUsage(ctx: UsageContext, workspace: string, plan: Plan): Promise<Usage> {
  const [members, tokens, ...counted] = await Promise.all([
    ctx.workspaces.countMembers(workspace),
    ctx.tokens.countTokens(workspace),
    ...SERVICES.map((service) => askService(ctx, service, { workspace, plan })),
  ]);
  return {
    ...(Object.assign({}, ...counted) as Usage),
    members: { used: members, limit: ctx.config.MAX_MEMBERS_PER_WORKSPACE },
    tokens: { used: tokens, limit: ctx.config.MAX_TOKENS_PER_WORKSPACE },
  };
}

async function askService(
  { config, log, requester }: Pick<UsageContext, 'config' | 'log' | 'requester'>,
  service: Service,
  question: { workspace: string; plan: Plan },
): Promise<Record<string, ResourceUsage | null>> {
  const names: readonly string[] = COUNTED_RESOURCES[service][config.DEPLOYMENT];
  if (names.length === 0) return {};
  const { usage } = await requester
    .ask(QUESTIONS[service], question, TIMEOUT_MS)
    .catch((error: unknown): { usage: Record<string, ResourceUsage> } => {
      log.debug({ err: error, service }, 'usage of a workspace not known');
      return { usage: {} };
    });
  return Object.fromEntries(names.map((name) => [name, usage[name] ?? null]));
}
