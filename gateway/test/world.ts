import { randomBytes } from 'node:crypto';
import { Agent, type Server } from 'node:http';
import type { Deployment } from '@waymark/contract/deployments';
import type { ServiceName } from '@waymark/contract/route';
import { role, type Ability, type Role } from '@waymark/contract/roles';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';
import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import { setMember } from '@waymark/auth/workspaces/members/set-member';
import { createToken } from '@waymark/auth/workspaces/tokens/create-token';
import { revokeToken } from '@waymark/auth/workspaces/tokens/revoke-token';
import { createUser } from '@waymark/auth/users/create-user';
import type { User } from '@waymark/auth/users/user-store';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import { send } from './client.js';
import { UNREACHED_MS } from './edge.js';
import { Observer, startStandIn } from './observer.js';

/** The workspace under test; each person also owns the other one. */
export const WORKSPACE = 'acme';
const ELSEWHERE = 'globex';
const PASSWORD = 'a password of theirs';
const STAND_INS = ['resource', 'analytics', 'webhook', 'domain', 'audit'] as const;

export type Person = Role | 'non-member';
const MAXIMA = { sentInvitations: 1_000_000, startedSessions: 1_000_000, changesOfAccount: 1_000_000 };
export const PEOPLE: Person[] = [...role.options, 'non-member'];

export interface Token {
  id: string;
  name: string;
  plaintext: string;
}

export interface Session {
  cookie: string;
  csrf: string;
}

const TOKENS = {
  read_only: { workspace: WORKSPACE, grants: ['read'] },
  write_only: { workspace: WORKSPACE, grants: ['write'] },
  read_write: { workspace: WORKSPACE, grants: ['read', 'write'] },
  revoked: { workspace: WORKSPACE, grants: ['read', 'write'] },
  expired: { workspace: WORKSPACE, grants: ['read', 'write'] },
  elsewhere: { workspace: ELSEWHERE, grants: ['read', 'write'] },
} as const satisfies Record<string, { workspace: string; grants: readonly Ability[] }>;
export type TokenName = keyof typeof TOKENS;

export interface Principal {
  id: string;
  name: string;
  email: string;
  tokens: Record<TokenName, Token>;
  session: Session;
  signedOut: Session;
}

/** The real gateway and auth of each deployment, stand-ins for the other services, and one person per role. */
export class World {
  readonly keys = new IdentityKeys();
  readonly observer = new Observer();
  /** Closes an idle connection before the gateway does. */
  readonly agent = new Agent({ keepAlive: true, maxSockets: 48, timeout: 30_000 });
  readonly people = {} as Record<Person, Principal>;
  private readonly env = {
    ...freshBacking(),
    IDENTITY_KEY: this.keys.keyOf('auth'),
    API_BASE_URL: 'http://api.test',
    TOTP_SECRET_KEY: randomBytes(32).toString('base64'),
    // These tests do not cover the limit; a short window keeps the stored data small.
    API_WORKSPACE_REQUESTS_PER_MINUTE: '1000000',
    RATE_LIMIT_WINDOW_MS: '100',
    SIGN_INS_PER_ADDRESS: '1000000',
    WORKSPACES_PER_USER_AND_DAY: '1000000',
  };
  private readonly lifecycles: Lifecycle[] = [];
  private readonly standIns: Server[] = [];
  private readonly gateways = new Map<Deployment, string>();

  static async start(deployments: Deployment[]): Promise<World> {
    const world = new World();
    const others = await world.startStandIns();
    for (const deployment of deployments) await world.startDeployment(deployment, others);
    await adminTargets(world.env).database((ctx) => world.populate(ctx));
    for (const person of PEOPLE) {
      world.people[person].signedOut = await world.signOut(await world.signIn(person));
    }
    await world.signEveryoneIn();
    return world;
  }

  async signEveryoneIn(): Promise<void> {
    for (const person of PEOPLE) this.people[person].session = await this.signIn(person);
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    // Stops in reverse order: the gateways started last.
    for (const lifecycle of this.lifecycles.reverse()) await lifecycle.stop();
    for (const server of this.standIns) {
      server.closeAllConnections();
      server.close();
    }
  }

  urlOf(deployment: Deployment): string {
    return this.gateways.get(deployment)!;
  }

  /** Repeats a 503: on a busy machine a password waits too long for its check. */
  async signIn(person: Person): Promise<Session> {
    const { email } = this.people[person];
    const { status, headers, text } = await waitFor(`the sign-in of ${email}`, async () => {
      const answer = await send(this.agent, `${this.urlOf('links')}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: PASSWORD }),
      });
      return answer.status !== 503 && answer;
    });
    if (status !== 200) throw new Error(`signing in got ${status}: ${text}`);
    const { meta } = JSON.parse(text) as { meta: { csrf_token: string } };
    return { cookie: headers['set-cookie']![0]!.split(';')[0]!, csrf: meta.csrf_token };
  }

  private async signOut(session: Session): Promise<Session> {
    const { status } = await send(this.agent, `${this.urlOf('links')}/api/v1/session`, {
      method: 'DELETE',
      headers: { cookie: session.cookie, 'x-csrf-token': session.csrf },
    });
    if (status !== 204) throw new Error(`signing out got ${status}`);
    return session;
  }

  private async startStandIns(): Promise<Record<string, string>> {
    const urls: Record<string, string> = {};
    for (const service of STAND_INS) {
      const server = await startStandIn();
      this.standIns.push(server);
      this.observer.watch(service, server);
      urls[`${service.toUpperCase()}_URL`] = urlOf(server);
    }
    return urls;
  }

  private async startDeployment(deployment: Deployment, others: Record<string, string>): Promise<void> {
    const authParts = testProcess(authConfig, { ...this.env, DEPLOYMENT: deployment });
    const auth = await startAuth(authParts, { maxima: MAXIMA });
    this.observer.watch('auth' satisfies ServiceName, auth);
    const gatewayParts = testProcess(gatewayConfig, {
      ...others,
      DEPLOYMENT: deployment,
      IDENTITY_SECRET: this.keys.secret,
      AUTH_URL: urlOf(auth),
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '1000000',
    });
    const timeouts = { authorizeTimeoutMs: UNREACHED_MS, upstreamTimeoutMs: UNREACHED_MS };
    const url = urlOf(await startGateway(gatewayParts, timeouts));
    this.lifecycles.push(authParts.lifecycle, gatewayParts.lifecycle);
    this.gateways.set(deployment, url);
    const anybody = { method: 'GET', headers: { cookie: '__Host-waymark_session=nobody' } };
    await waitFor('the database', async () => (await send(this.agent, `${url}/api/user`, anybody)).status === 401);
  }

  private async populate(ctx: AdminContext): Promise<void> {
    const users = {} as Record<Person, User>;
    for (const person of PEOPLE) {
      const email = `${person}@example.com`;
      users[person] = await createUser(ctx, { email, name: `The ${person}`, password: PASSWORD });
    }
    for (const slug of [WORKSPACE, ELSEWHERE]) {
      await createWorkspace(ctx, { workspace: null }, { slug, name: slug, owner: users.owner, plan: 'enterprise' });
    }
    for (const person of PEOPLE) {
      const user = users[person];
      const join = (workspace: string, as: Role) =>
        setMember(ctx, { workspace }, { workspace, user, role: as, changedBy: 'operator', mode: 'set' });
      await join(ELSEWHERE, 'owner');
      await join(WORKSPACE, person === 'non-member' ? 'owner' : person);
      const { _id: id, name, email } = user;
      this.people[person] = { id, name, email, tokens: await mintTokens(ctx, user) } as Principal;
    }
    // Bypasses the regular removal, which would revoke the tokens: without a membership they must grant nothing.
    await ctx.db.transaction(async ({ session }) => {
      const membership = await ctx.workspaces.findMembership(WORKSPACE, users['non-member']._id, session);
      await ctx.workspaces.removeMember(membership!, session);
    });
  }
}

async function mintTokens(ctx: AdminContext, { _id: userId }: User): Promise<Record<TokenName, Token>> {
  const tokens = {} as Record<TokenName, Token>;
  for (const [name, { workspace, grants }] of Object.entries(TOKENS)) {
    const expiresAt = name === 'expired' ? new Date(Date.now() - 1000) : null;
    const input = { workspace, userId, name, grants: [...grants], expiresAt };
    const { token, plaintext } = await createToken(ctx, { workspace }, input);
    tokens[name as TokenName] = { id: token._id, name, plaintext };
    if (name === 'revoked') {
      await revokeToken(ctx, { workspace }, { workspace, id: token._id, userId: undefined });
    }
  }
  return tokens;
}
