import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  /** Refuses to sign in. */
  refuses?: boolean;
}

const HOPS_MAX = 10;

/** A real OpenID provider, in a process of its own. */
export class OpenIdProvider {
  readonly clientId = 'waymark';
  readonly clientSecret = 'a secret of the client';

  private constructor(
    private readonly child: ChildProcess,
    readonly issuer: string,
    private readonly redirectUri: string,
  ) {}

  static async start(redirectUri: string): Promise<OpenIdProvider> {
    const args = [redirectUri, 'waymark', 'a secret of the client'];
    const child = fork(join(__dirname, 'openid-provider-process.mjs'), args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ issuer }] = (await once(child, 'message')) as [{ issuer: string }];
    return new OpenIdProvider(child, issuer, redirectUri);
  }

  /** The settings of auth for this provider. */
  get env(): Record<string, string> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: this.clientId, OIDC_CLIENT_SECRET: this.clientSecret };
  }

  /** Signs a person in, as their browser would: follows the provider's redirects. @returns the query of the callback */
  async signIn(location: string, person: Person): Promise<string> {
    const cookies = new Map<string, string>();
    let url = new URL(location);
    url.searchParams.set('login_hint', Buffer.from(JSON.stringify(person)).toString('base64url'));
    for (let hop = 0; hop < HOPS_MAX; hop += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
        cookies.set(name!, value!);
      }
      const next = response.headers.get('location');
      if (next === null) throw new Error(`${url.href} answers ${response.status}: ${await response.text()}`);
      url = new URL(next, url);
      if (url.href.startsWith(this.redirectUri)) return url.search;
    }
    throw new Error('the provider did not exit');
  }

  /** Replaces the signing key, sets the provider's clock, or names the callback of the client. */
  async change(change: { rotateKeys?: boolean; clockOffsetSeconds?: number; redirectUri?: string }): Promise<void> {
    const done = once(this.child, 'message');
    this.child.send(change);
    await done;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill();
    await exited;
  }
}
