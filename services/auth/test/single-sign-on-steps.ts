import { SESSION_COOKIE, SIGN_IN_COOKIE } from '@waymark/contract/sessions';
import type { AccountSystem, Reply } from './account-system.js';
import type { OpenIdProvider, Person } from '@waymark/testing/openid-provider';

export const REDIRECT_URI = 'https://go.example.com/api/v1/session/oidc/callback';
export const FAILED = 'Single sign-on failed. Start again.';
export const NO_ACCOUNT = 'No account belongs to this identity. Ask the operator for an account.';

/** Returns the `name=value` that a reply sets. */
export const cookieOf = ({ headers }: Reply, name: string): string | undefined =>
  headers
    .getSetCookie()
    .find((line) => line.startsWith(`${name}=`))
    ?.split(';')[0];

let subjects = 0;
export const personOf = ({ email }: { email: string }): Person => ({
  sub: `subject-${(subjects += 1)}`,
  email,
  email_verified: true,
  name: 'Ada Lovelace',
});

const hasSession = ({ headers }: Reply): boolean =>
  headers.getSetCookie().some((line) => line.startsWith(SESSION_COOKIE) && !line.includes('Expires=Thu, 01 Jan 1970'));

export const failureOf = (reply: Reply) => ({
  status: reply.status,
  message: reply.body?.error?.message as string,
  hasSession: hasSession(reply),
});

interface Begun {
  location: string;
  cookie: string;
}

/** The steps of a sign-in, as a browser takes them. */
export class SingleSignOn {
  constructor(
    private readonly system: AccountSystem,
    private readonly provider: OpenIdProvider,
  ) {}

  async begin(query = '', replica = 0): Promise<Begun> {
    const reply = await this.system.call('GET', `/session/oidc${query}`, { replica });
    expect([reply.status, reply.body]).toEqual([302, null]);
    return { location: reply.headers.get('location')!, cookie: cookieOf(reply, SIGN_IN_COOKIE)! };
  }

  finish(search: string, cookie: string, replica = 0): Promise<Reply> {
    return this.system.call('GET', `/session/oidc/callback${search}`, { headers: { cookie }, replica });
  }

  async signIn(person: Person, query = '', replica = 0): Promise<Reply> {
    const { location, cookie } = await this.begin(query, replica);
    return this.finish(await this.provider.signIn(location, person), cookie, replica);
  }
}
