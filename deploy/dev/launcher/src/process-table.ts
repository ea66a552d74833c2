import { join, resolve } from 'node:path';
import { identityKeyOf, type ApiService, type Secrets } from './secrets.js';

export const ROOT = resolve(__dirname, '../../../..');

export const PROCESS_NAMES = [
  'auth',
  'resource',
  'analytics',
  'webhook',
  'domain',
  'audit',
  'redirect',
  'gateway',
] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** QR codes have no custom domains. */
const runsIn = (name: ProcessName, deployment: SystemSettings['deployment']) =>
  name !== 'domain' || deployment === 'links';

export interface SystemSettings {
  deployment: 'links' | 'qr';
  mongoUri: string;
  amqpUrl: string;
  clickHouseUrl: string;
  /** Prefix of the databases in both kinds of store, and namespace on the broker. */
  namespace: string;
  /** Where the gateway and the redirect listen, on loopback. */
  port: number;
  shortPort: number;
  /** For the spool, the logs and the secrets. */
  folder: string;
  /** Additional variables for every process. */
  env?: Record<string, string>;
  /** Additional variables for one kind of process. */
  envOf?: Partial<Record<ProcessName, Record<string, string>>>;
  /** Programs in place of the services' own, which run them with shorter intervals. */
  entries?: Partial<Record<ProcessName, string>>;
}

export interface ProcessPorts {
  port: number;
  opsPort: number;
}

export interface ProcessPlan extends ProcessPorts {
  name: ProcessName;
  entry: string;
  env: Record<string, string>;
}

/** The same entry points and variables as the images have, for processes of one machine. */
export function planProcesses(
  settings: SystemSettings,
  secrets: Secrets,
  ports: Record<ProcessName, ProcessPorts>,
): ProcessPlan[] {
  const { identitySecret, webhookKey, auditKey, totpKey, signsExistingLogs } = secrets;
  const api = (name: ApiService) => ({
    IDENTITY_KEY: identityKeyOf(secrets, name),
    API_BASE_URL: apiBaseUrl(settings),
  });
  const shortHost = { SHORT_BASE_URL: `http://127.0.0.1:${settings.shortPort}` };
  // A developer's sites run on the same machine.
  const destinations = { ALLOW_PRIVATE_DESTINATIONS: 'true' };
  const url = (name: ProcessName) => `http://127.0.0.1:${ports[name].port}`;
  const own: Record<ProcessName, Record<string, string>> = {
    auth: { ...api('auth'), TOTP_SECRET_KEY: totpKey },
    resource: { ...api('resource'), ...shortHost, ...destinations },
    analytics: { ...api('analytics'), ...shortHost },
    webhook: {
      ...api('webhook'),
      ...shortHost,
      WEBHOOK_SECRET_KEY: webhookKey,
      // Receivers of a developer run on the same machine.
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      // Every receiver of a local stack is on this host.
      WEBHOOK_HOST_CONCURRENCY: '1000',
    },
    // Custom hosts lead to this machine, where no TLS terminator asks for them: any free port will do.
    domain: { ...api('domain'), ...shortHost, ...destinations, CNAME_TARGET: 'localhost', TLS_ASK_PORT: '0' },
    audit: { ...api('audit'), AUDIT_SIGNING_KEY: auditKey, AUDIT_SIGN_EXISTING: String(signsExistingLogs === true) },
    redirect: { ...shortHost, SPOOL_DIR: join(settings.folder, 'spool') },
    gateway: {
      IDENTITY_SECRET: identitySecret,
      AUTH_URL: url('auth'),
      RESOURCE_URL: url('resource'),
      ANALYTICS_URL: url('analytics'),
      WEBHOOK_URL: url('webhook'),
      ...(runsIn('domain', settings.deployment) && { DOMAIN_URL: url('domain') }),
      AUDIT_URL: url('audit'),
    },
  };
  return PROCESS_NAMES.filter((name) => runsIn(name, settings.deployment)).map((name) => ({
    name,
    ...ports[name],
    entry: settings.entries?.[name] ?? entryOf(name),
    env: {
      NODE_ENV: 'production',
      DEPLOYMENT: settings.deployment,
      HOST: '127.0.0.1',
      PORT: String(ports[name].port),
      OPS_PORT: String(ports[name].opsPort),
      ...(name === 'gateway' ? {} : backing(settings, name)),
      ...own[name],
      ...settings.env,
      ...settings.envOf?.[name],
    },
  }));
}

export const apiBaseUrl = ({ port }: Pick<SystemSettings, 'port'>): string => `http://127.0.0.1:${port}`;

export function entryOf(name: ProcessName, file = 'main.js'): string {
  return join(ROOT, name === 'gateway' ? 'gateway' : join('services', name), 'dist', file);
}

/** Each service has a database of its own on the same server. */
export function backing(settings: SystemSettings, name: ProcessName): Record<string, string> {
  const uri = new URL(settings.mongoUri);
  uri.pathname = `/${settings.namespace}-${name}`;
  return {
    MONGODB_URI: uri.href,
    AMQP_URL: settings.amqpUrl,
    AMQP_NAMESPACE: settings.namespace,
    ...(name === 'analytics' && { CLICKHOUSE_URL: clickHouseUrl(settings) }),
  };
}

function clickHouseUrl({ clickHouseUrl: server, namespace }: SystemSettings): string {
  const url = new URL(server);
  url.pathname = `/${namespace}-analytics`;
  return url.href;
}
