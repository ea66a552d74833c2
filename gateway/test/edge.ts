import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { freePorts } from '@waymark/stack/ports';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { adminTargets } from '@waymark/auth/admin/context';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { startGateway, type GatewayOptions } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';

/** A time limit that a busy machine does not reach either, in milliseconds. */
export const UNREACHED_MS = 600_000;

export interface EdgeGateway {
  server: Server;
  url: string;
  /** The value of a metric that has no labels. */
  metric: (name: string) => Promise<number>;
}

/** Gateways with a real auth behind them; one server stands in for all other services. */
export class Edge {
  readonly backing = freshBacking();
  authUrl = '';
  /** Handles the requests to the other services; by default they answer `{}`. */
  behave: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  readonly keys = new IdentityKeys();
  private readonly lifecycles: Lifecycle[] = [];
  private readonly upstream = createServer((request, response) => {
    if (this.behave) return this.behave(request, response);
    request.resume().once('end', () => response.setHeader('content-type', 'application/json').end('{"data":[]}'));
  });

  static async start(authEnv: Record<string, string> = {}): Promise<Edge> {
    const edge = new Edge();
    await new Promise<void>((resolve) => edge.upstream.listen(0, '127.0.0.1', resolve));
    const parts = testProcess(authConfig, {
      ...edge.backing,
      IDENTITY_KEY: edge.keys.keyOf('auth'),
      API_BASE_URL: 'http://api.test',
      ...authEnv,
    });
    edge.lifecycles.push(parts.lifecycle);
    edge.authUrl = urlOf(await startAuth(parts));
    return edge;
  }

  async stop(): Promise<void> {
    this.upstream.closeAllConnections();
    for (const lifecycle of this.lifecycles.reverse()) await lifecycle.stop();
    this.upstream.closeAllConnections();
    await new Promise((resolve) => this.upstream.close(resolve));
  }

  async startGateway(env: Record<string, string> = {}, options: Partial<GatewayOptions> = {}): Promise<EdgeGateway> {
    const other = urlOf(this.upstream);
    const services = ['RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'];
    const [opsPort] = (await freePorts(1)) as [number];
    const parts = testProcess(gatewayConfig, {
      IDENTITY_SECRET: this.keys.secret,
      AUTH_URL: this.authUrl,
      ...Object.fromEntries(services.map((service) => [`${service}_URL`, other])),
      OPS_PORT: String(opsPort),
      ...env,
    });
    this.lifecycles.push(parts.lifecycle);
    const server = await startGateway(parts, { authorizeTimeoutMs: UNREACHED_MS, ...options });
    const url = urlOf(server);
    const unknown = { cookie: '__Host-waymark_session=unknown', 'x-forwarded-for': '192.0.2.255' };
    await waitFor('the database', async () => (await fetch(`${url}/api/user`, { headers: unknown })).status === 401);
    const metric = async (name: string) => {
      const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
      return Number(new RegExp(`^waymark_${name}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    return { server, url, metric };
  }

  /** Adds a member to the workspace and creates it for the first one. @returns a token */
  async addMember(workspace: string, name: string): Promise<string> {
    const email = `${name}@example.com`;
    await this.admin('user create', { email, name, password: `password of ${name}` });
    await this.admin('workspace create', { slug: workspace, name: workspace, owner: email }).catch(() =>
      this.admin('member set', { workspace, email, role: 'owner' }),
    );
    return this.addToken(workspace, name);
  }

  async addToken(workspace: string, name: string): Promise<string> {
    const options = { workspace, email: `${name}@example.com`, name: 'T', ability: 'read_write' };
    const { plaintext_token: token } = (await this.admin('token create', options)) as { plaintext_token: string };
    return token;
  }

  /** Runs an operator command. */
  admin(name: string, options: Record<string, string>): Promise<unknown> {
    return COMMANDS[name]!.run(adminTargets(this.backing), options);
  }
}
