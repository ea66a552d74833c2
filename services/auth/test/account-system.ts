import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import mongoose, { type Connection } from 'mongoose';
import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { startAuth } from '@waymark/auth/app';
import { authConfig } from '@waymark/auth/config';
import type { Maxima } from '@waymark/auth/limits/limits';
import { createUser } from '@waymark/auth/users/create-user';
import { startGateway } from '@waymark/gateway/app';
import { gatewayConfig } from '@waymark/gateway/config';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { testProcess } from '@waymark/testing/process-parts';
import { totpCode, untilStepLasts } from '@waymark/testing/totp';
import { urlOf } from '@waymark/testing/urls';
import { waitFor } from '@waymark/testing/wait-for';

export interface Browser {
  cookie: string;
  csrf: string;
}

export interface Credentials {
  email: string;
  password: string;
}

/** What a user knows who has enabled two-factor sign-in. */
export interface Totp {
  secret: string;
  /** The code that enabled it. */
  code: string;
  recoveryCodes: string[];
}

export interface Reply {
  status: number;
  headers: Headers;
  /** Parsed; a test asserts what it reads. */
  body: any;
}

interface Ask {
  body?: object;
  browser?: Browser;
  headers?: Record<string, string>;
  /** The gateway to ask. */
  replica?: number;
}

/** Generous, so that only the tests of limits meet them. */
const LIMITS = {
  SIGN_INS_PER_ADDRESS: '100000',
  API_WORKSPACE_REQUESTS_PER_MINUTE: '100000',
  WORKSPACE_CREATION: 'everyone',
};

const MAXIMA: Maxima = {
  passwordGuessesOfAccount: 100_000,
  passwordGuessesOfAccountAtAddress: 1000,
  startedSessions: 1000,
  changesOfAccount: 1000,
};

let addresses = 0;
/** Another client address, which the gateway trusts from loopback. */
export const newAddress = (): Record<string, string> => {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.${100 + Math.floor(addresses / 250)}.${1 + (addresses % 250)}` };
};

/** Replicas of auth on one database, each behind a gateway of its own. */
export class AccountSystem {
  readonly backing = freshBacking();
  readonly env: Record<string, string>;
  database!: Connection;
  private readonly keys = new IdentityKeys();
  private readonly gateways: Server[] = [];
  private readonly lifecycles: Lifecycle[] = [];
  private userCount = 0;
  private store?: Promise<AdminContext>;
  private storeClosed?: Promise<void>;
  private readonly stopping = new AbortController();

  private constructor(
    env: Record<string, string>,
    private readonly maxima: Maxima,
  ) {
    this.env = {
      ...this.backing,
      ...LIMITS,
      IDENTITY_KEY: this.keys.keyOf('auth'),
      API_BASE_URL: 'https://go.example.com',
      TOTP_SECRET_KEY: randomBytes(32).toString('base64'),
      ...env,
    };
  }

  static async start(env: Record<string, string> = {}, replicas = 1, maxima: Maxima = {}): Promise<AccountSystem> {
    const system = new AccountSystem(env, { ...MAXIMA, ...maxima });
    for (let replica = 0; replica < replicas; replica += 1) await system.startReplica();
    system.database = await mongoose.createConnection(system.backing.MONGODB_URI).asPromise();
    return system;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.storeClosed;
    await this.database.close();
    for (const lifecycle of this.lifecycles.reverse()) await lifecycle.stop();
  }

  /**
   * Starts one more auth with its gateway, where `env` replaces settings of both, and `maxima` limits of auth.
   * @returns its number
   */
  async startReplica(env: Record<string, string> = {}, maxima: Maxima = {}): Promise<number> {
    const auth = testProcess(authConfig, { ...this.env, ...env });
    const authUrl = urlOf(await startAuth(auth, { maxima: { ...this.maxima, ...maxima } }));
    const others = ['RESOURCE', 'ANALYTICS', 'WEBHOOK', 'DOMAIN', 'AUDIT'].map((name) => [`${name}_URL`, authUrl]);
    const gateway = testProcess(gatewayConfig, {
      IDENTITY_SECRET: this.keys.secret,
      AUTH_URL: authUrl,
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '100000',
      ...Object.fromEntries(others),
      ...env,
    });
    this.lifecycles.push(auth.lifecycle, gateway.lifecycle);
    const replica = this.gateways.push(await startGateway(gateway)) - 1;
    const unknown = { cookie: '__Host-waymark_session=x', csrf: '' };
    const isUp = async () => (await this.call('GET', '/user', { browser: unknown, replica })).status === 401;
    await waitFor('the database', isUp);
    return replica;
  }

  urlOf(replica = 0): string {
    return urlOf(this.gateways[replica]!);
  }

  /** Works on the stores that the operator's commands use, on one connection of this system's own. */
  async onStore<T>(work: (ctx: AdminContext) => Promise<T>): Promise<T> {
    return work(await (this.store ??= this.openStore()));
  }

  private openStore(): Promise<AdminContext> {
    return new Promise((resolve, reject) => {
      const opened = adminTargets(this.env).database(async (ctx) => {
        resolve(ctx);
        await once(this.stopping.signal, 'abort');
      });
      opened.catch(reject);
      this.storeClosed = opened.catch(() => undefined);
    });
  }

  async newUser(): Promise<Credentials & { id: string }> {
    const number = (this.userCount += 1);
    const credentials = { email: `user-${number}@example.com`, password: `first password of ${number}` };
    const { _id } = await this.onStore((ctx) => createUser(ctx, { ...credentials, name: `User ${number}` }));
    return { ...credentials, id: _id };
  }

  async call(method: string, path: string, { body, browser, headers, replica = 0 }: Ask = {}): Promise<Reply> {
    const response = await fetch(`${this.urlOf(replica)}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(browser && { cookie: browser.cookie, 'x-csrf-token': browser.csrf }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : null };
  }

  trySignIn(credentials: Credentials & object, ask: Ask = {}): Promise<Reply> {
    const { email, password, ...factor } = credentials as Credentials & { id?: string };
    delete factor.id;
    return this.call('POST', '/session', { ...ask, body: { email, password, ...factor } });
  }

  async signIn(credentials: Credentials & object, ask: Ask = {}): Promise<Browser> {
    const { status, headers, body } = await this.trySignIn(credentials, ask);
    expect(status).toBe(200);
    return { cookie: headers.get('set-cookie')!.split(';')[0]!, csrf: body.meta.csrf_token as string };
  }

  async isSignedIn(browser: Browser, replica = 0): Promise<boolean> {
    return (await this.call('GET', '/user', { browser, replica })).status === 200;
  }

  /** Enables two-factor sign-in with the code of the step before, so that the current one is unused. */
  async enableTotp(browser: Browser): Promise<Totp> {
    const { secret } = (await this.call('POST', '/user/totp', { browser })).body.data;
    // On a slow machine the code may arrive too late for its step.
    const { status, body, code } = await waitFor('a code in time', async () => {
      await untilStepLasts(5000);
      const code = totpCode(secret, -1);
      const reply = await this.call('POST', '/user/totp/confirm', { browser, body: { code } });
      return reply.status !== 422 && { ...reply, code };
    });
    expect(status).toBe(200);
    return { secret, code, recoveryCodes: body.data.recovery_codes };
  }

  /** The events of a type that this system has emitted about a user. */
  async eventsOf(type: string, userId: string): Promise<any[]> {
    const rows = await this.database.collection('outbox').find({ type }).toArray();
    return rows.map((row) => JSON.parse(row['body'] as string)).filter(({ data }) => data.user_id === userId);
  }
}
