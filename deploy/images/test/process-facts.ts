import { relative } from 'node:path';
import type { z } from 'zod';
import { analyticsConfig } from '@waymark/analytics/config';
import { auditConfig } from '@waymark/audit/config';
import { authConfig } from '@waymark/auth/config';
import { domainConfig } from '@waymark/domain/config';
import { gatewayConfig } from '@waymark/gateway/config';
import { redirectConfig } from '@waymark/redirect/config';
import { resourceConfig } from '@waymark/resource/config';
import { webhookConfig } from '@waymark/webhook/config';
import { loadConfig } from '@waymark/kernel/process/config';
import { entryOf, PROCESS_NAMES, ROOT, type ProcessName } from '@waymark/launcher/process-table';

const SCHEMAS: Record<ProcessName, z.ZodObject> = {
  auth: authConfig,
  resource: resourceConfig,
  analytics: analyticsConfig,
  webhook: webhookConfig,
  domain: domainConfig,
  audit: auditConfig,
  redirect: redirectConfig,
  gateway: gatewayConfig,
};

export type DeploymentName = 'links' | 'qr';
export const DEPLOYMENTS: readonly DeploymentName[] = ['links', 'qr'];

/** The facts about a process from its code, with which the tests compare the manifests. */
export interface ProcessFacts {
  name: ProcessName;
  /** Its folder, as the Dockerfile's WORKSPACE names it. */
  workspace: string;
  schema: z.ZodObject;
  port: number;
  opsPort: number;
  /** Only the domain service has it. */
  tlsAskPort: number | undefined;
}

export const PROCESSES: readonly ProcessFacts[] = PROCESS_NAMES.map((name) => {
  const schema = SCHEMAS[name];
  const byDefault = (setting: string) => (schema.shape[setting] as z.ZodType).parse(undefined) as number;
  return {
    name,
    workspace: relative(ROOT, entryOf(name)).replace('/dist/main.js', ''),
    schema,
    port: byDefault('PORT'),
    opsPort: byDefault('OPS_PORT'),
    tlsAskPort: 'TLS_ASK_PORT' in schema.shape ? byDefault('TLS_ASK_PORT') : undefined,
  };
});

/** QR codes have no custom domains. */
export const processesOf = (deployment: DeploymentName): readonly ProcessFacts[] =>
  PROCESSES.filter(({ name }) => deployment === 'links' || name !== 'domain');

/** The variables among `names` that neither the process nor Node.js reads: a wrong name would go unnoticed. */
export const unreadVariables = (process: ProcessFacts, names: string[]): string[] =>
  names.filter((name) => !(name.replace(/_FILE$/, '') in process.schema.shape) && name !== 'NODE_OPTIONS');

/** The limit of the heap in megabytes. */
export const heapOf = (environment: Record<string, string>): number =>
  Number(/^--max-old-space-size=(\d+)$/.exec(environment['NODE_OPTIONS'] ?? '')?.[1]);

/** Converts a quantity as Kubernetes (`1Gi`) or Compose (`512m`) writes it to megabytes. */
export function megabytes(quantity: string): number {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi|m|g)$/.exec(quantity) ?? [];
  return Number(amount) * (/^g/i.test(unit) ? 1024 : 1);
}

/** The configuration as the process itself would read it. @throws ConfigError that names every problem. */
export const configurationOf = (process: ProcessFacts, env: NodeJS.ProcessEnv): Record<string, unknown> =>
  loadConfig(process.schema, env);

/** The other processes' addresses among a configuration: the gateway's upstreams. */
export const upstreamsOf = (process: ProcessFacts, config: Record<string, unknown>): [ProcessFacts, URL][] =>
  PROCESSES.flatMap((other): [ProcessFacts, URL][] => {
    const setting = `${other.name.toUpperCase()}_URL`;
    const url = setting in process.schema.shape ? config[setting] : undefined;
    return typeof url === 'string' ? [[other, new URL(url)]] : [];
  });
