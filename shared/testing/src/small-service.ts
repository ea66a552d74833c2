import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { Deployment } from '@waymark/contract/deployments';
import { V1_PREFIX, type RouteDefinition, type ServiceName } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { processConfig, setting } from '@waymark/kernel/process/config';
import { createApi, type Handler, type Handlers } from '@waymark/kernel/http/api';
import { serveHttp } from '@waymark/kernel/http/serve-http';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { Metrics } from '@waymark/kernel/process/metrics';
import { parseKey } from './keys.js';
import { testProcess } from './process-parts.js';
import { ServiceCaller, type CallOptions } from './service-caller.js';
import { urlOf } from './urls.js';

const MAY_EVERYTHING = {
  sessionId: 'ses_1',
  access: {
    plan: { name: 'enterprise', activeLinks: null, customDomains: null, entitlements: ['audit_logs.export'] },
  },
} satisfies CallOptions;

const config = processConfig.extend({ PORT: setting.port });

/** The HTTP side of one service alone: its real routes on a free port, all of which answer with the same handler. */
export class SmallService {
  private constructor(
    readonly server: Server,
    readonly caller: ServiceCaller,
    private readonly lifecycle: Lifecycle,
  ) {}

  static async start(options: {
    service: ServiceName;
    handler: Handler;
    deployment?: Deployment;
    env?: Record<string, string>;
  }): Promise<SmallService> {
    const { service, handler, deployment = 'links', env = {} } = options;
    const parts = testProcess(config, { ...env, DEPLOYMENT: deployment });
    const caller = new ServiceCaller(service, () => urlOf(server));
    const names = routesOf(service).map(([name]) => name);
    const app = createApi({
      service,
      deployment,
      handlers: Object.fromEntries(names.map((name) => [name, handler])) as unknown as Handlers<ServiceName>,
      identityKeys: [parseKey(caller.key)],
      apiBaseUrl: 'http://api.test',
      log: parts.log,
      metrics: new Metrics(service),
    });
    const server = await serveHttp(app, parts);
    return new SmallService(server, caller, parts.lifecycle);
  }

  /** Returns the status of the answer to a JSON body, sent with a length or chunked. */
  async statusOf(route: RouteDefinition, body: string, framing: 'length' | 'chunked' = 'length'): Promise<number> {
    const { caller, server } = this;
    const path = V1_PREFIX + route.path.replace('{workspace}', 'acme').replace(/\{\w+\}/g, 'x');
    const signed = { method: route.method, url: path, body: Buffer.from(body) };
    const headers = { 'content-type': 'application/json', ...caller.signed(signed, MAY_EVERYTHING) };
    const request = httpRequest(urlOf(server) + path, { method: route.method, headers, agent: false });
    if (framing === 'length') request.setHeader('content-length', Buffer.byteLength(body));
    else request.setHeader('transfer-encoding', 'chunked');
    // The server may close the connection on a refused body.
    request.on('error', () => undefined).end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode!;
  }

  stop(): Promise<void> {
    return this.lifecycle.stop();
  }
}

export const routesOf = (service: ServiceName): [string, RouteDefinition][] =>
  Object.entries<RouteDefinition>(ROUTES).filter(([, route]) => route.service === service);
