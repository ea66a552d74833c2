import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import mongoose from 'mongoose';
import { AUTHORIZE_PATH } from '@waymark/contract/authorize';
import { isServedIn, V1_PREFIX, type RouteDefinition, type ServiceName } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { freshBacking } from '@waymark/testing/backing';
import { auditKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { startAnalytics } from '@waymark/analytics/app';
import { analyticsConfig } from '@waymark/analytics/config';
import { startAudit } from '@waymark/audit/app';
import { auditConfig } from '@waymark/audit/config';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startDomain } from '@waymark/domain/app';
import { domainConfig } from '@waymark/domain/config';
import { startResource } from '@waymark/resource/app';
import { resourceConfig } from '@waymark/resource/config';
import { startWebhook } from '@waymark/webhook/app';
import { webhookConfig } from '@waymark/webhook/config';

type Env = Record<string, string>;
type Start = (env: Env) => { lifecycle: Lifecycle; server: Promise<Server> };

const START: Record<ServiceName, Start> = {
  auth: (env) => {
    const parts = testProcess(authConfig, env);
    return { lifecycle: parts.lifecycle, server: startAuth(parts) };
  },
  resource: (env) => {
    const parts = testProcess(resourceConfig, env);
    return { lifecycle: parts.lifecycle, server: startResource(parts) };
  },
  analytics: (env) => {
    const parts = testProcess(analyticsConfig, env);
    return { lifecycle: parts.lifecycle, server: startAnalytics(parts) };
  },
  webhook: (env) => {
    const parts = testProcess(webhookConfig, env);
    return { lifecycle: parts.lifecycle, server: startWebhook(parts) };
  },
  domain: (env) => {
    const parts = testProcess(domainConfig, env);
    return { lifecycle: parts.lifecycle, server: startDomain(parts).then(({ server }) => server) };
  },
  audit: (env) => {
    const parts = testProcess(auditConfig, env);
    return { lifecycle: parts.lifecycle, server: startAudit(parts) };
  },
};
export const SERVICES = Object.keys(START) as ServiceName[];

export interface RunningService {
  url: string;
  /** Every document of its database, except those that the service writes on its own. */
  content: () => Promise<string>;
  stop: () => Promise<void>;
}

const OWN = new Set(['leases', 'migrations']);

/** Starts the real service alone, with its own database. */
export async function startService(service: ServiceName, identityKey: string): Promise<RunningService> {
  const backing = freshBacking();
  const { lifecycle, server } = START[service]({
    ...backing,
    IDENTITY_KEY: identityKey,
    API_BASE_URL: 'http://api.test',
    SHORT_BASE_URL: 'http://go.test',
    AUDIT_SIGNING_KEY: auditKeys().privateKey,
    WEBHOOK_SECRET_KEY: randomBytes(32).toString('base64'),
    GEOIP_CITY_DB_V4: '/nowhere',
    GEOIP_CITY_DB_V6: '/nowhere',
  });
  const database = await mongoose.createConnection(backing.MONGODB_URI).asPromise();
  return {
    url: urlOf(await server),
    content: async () => {
      const names = (await database.listCollections()).map(({ name }) => name).filter((name) => !OWN.has(name));
      const documents = names.sort().map((name) => database.collection(name).find({}).toArray());
      return JSON.stringify((await Promise.all(documents)).flat());
    },
    stop: async () => {
      await lifecycle.stop();
      await database.close();
    },
  };
}

export interface Doorway {
  method: string;
  path: string;
  isInWorkspace: boolean;
}

export const isInternal = ({ path }: Doorway): boolean => path.startsWith('/internal/');

/** Every route of a service: its rows of the route table, and auth's internal routes for the gateway. */
export function doorwaysOf(service: ServiceName): Doorway[] {
  const routes = (Object.values(ROUTES) as RouteDefinition[])
    .filter((route) => route.service === service && isServedIn(route, 'links'))
    .map(({ method, path }) => ({
      method,
      path: V1_PREFIX + path.replace('{workspace}', 'acme').replace(/\{\w+\}/g, 'none_1'),
      isInWorkspace: path.includes('{workspace}'),
    }));
  if (service !== 'auth') return routes;
  const internal = [AUTHORIZE_PATH];
  return [...routes, ...internal.map((path) => ({ method: 'POST', path, isInWorkspace: false }))];
}

/** Fields that every create route accepts: a request that wrongly passes would leave a document behind. */
export const ANY_BODY = JSON.stringify({
  slug: 'made',
  name: 'Made',
  hostname: 'go.example.com',
  email: 'made@example.com',
  role: 'viewer',
  password: 'a password',
  destination_url: 'https://example.com',
  url: 'https://8.8.8.8/hook',
  event_types: ['scan.logged'],
  credential: { type: 'bearer', token: 'wmk_x' },
  workspace: null,
});
