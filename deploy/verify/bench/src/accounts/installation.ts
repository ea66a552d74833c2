import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { adminTargets, type AdminContext } from '@waymark/auth/admin/context';
import { setMember } from '@waymark/auth/workspaces/members/set-member';
import { hashPassword } from '@waymark/auth/secrets/password';
import { createWorkspace } from '@waymark/auth/workspaces/create-workspace';
import { emailKey, type User } from '@waymark/auth/users/user-store';
import { ANONYMOUS } from '@waymark/contract/identity';
import { newId } from '@waymark/contract/ids';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import { backing } from '@waymark/launcher/process-table';
import { loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { ServiceCaller, signedRequest } from '@waymark/testing/service-caller';
import { waitFor } from '@waymark/testing/wait-for';
import { openEnvironment, type Stoppable } from '../install.js';
import { consumeEveryEvent } from '../join-broker.js';

/** As many as keep the requests of a new password for each below its limit. */
const ACCOUNTS = 150;
/** As many as keep the invitations of each below what slows its limit. */
const INVITERS = 20;
const PASSWORD = 'the password of every account';
/** The accounts are members of the first; the others invite. */
export const WORKSPACES = { members: 'members', lookedUp: 'looked-up', inviting: 'inviting' };
const OPERATOR = { workspace: null };

/** No limit is to be met. Mails wait, since nothing listens at the address of the SMTP server. */
const SETTINGS = {
  SIGN_INS_PER_ADDRESS: '100000',
  MAX_INVITATIONS_PER_WORKSPACE: '5000',
  SMTP_URL: 'smtp://127.0.0.1:1',
};

/** As many e-mail addresses with an account as without, all equally long. */
export interface Addresses {
  known: string[];
  unknown: string[];
}

export interface Request {
  url: string;
  init: RequestInit;
}

/** The auth service. */
export interface Installation extends Stoppable {
  /** Of accounts with a password alone. */
  plain: Addresses;
  /** Of accounts with two-factor sign-in. */
  twoFactor: Addresses;
  inviters: User[];
  caller: ServiceCaller;
  /** Returns a request of an anonymous caller, each from another address. */
  anonymousRequest: (method: string, path: string, body?: object) => Request;
}

export function installAuth(): Promise<Installation> {
  return openEnvironment(async ({ settings, lifecycle, start }) => {
    const publisher = consumeEveryEvent(settings, lifecycle);
    await waitFor('the broker', () => Promise.resolve(publisher.isUp));
    const system = await start(['auth'], { auth: SETTINGS });
    const secrets = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
    const accounts = await adminTargets(backing(settings, 'auth')).database(createAccounts);
    const auth = system.process('auth');
    let requests = 0;
    const anonymousRequest: Installation['anonymousRequest'] = (method, path, body) => {
      requests += 1;
      const address = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`;
      const claims = { actor: ANONYMOUS, workspace: null, session_id: null, request_id: randomUUID(), ip_address: address }; // prettier-ignore
      const url = new URL(`${auth.url}/api/v1${path}`);
      const text = body && JSON.stringify(body);
      const request = signedRequest(method, url, text);
      const identity = signIdentity(secrets.privateKey, claims, { service: 'auth', request });
      const headers = { [IDENTITY_HEADER]: identity, 'content-type': 'application/json' };
      return {
        url: url.href,
        init: { method, headers, ...(text && { body: text }) },
      };
    };
    return { ...accounts, caller: new ServiceCaller('auth', () => auth.url, secrets), anonymousRequest };
  });
}

type Accounts = Pick<Installation, 'plain' | 'twoFactor' | 'inviters'>;

async function createAccounts(ctx: AdminContext): Promise<Accounts> {
  const passwordHash = await hashPassword(PASSWORD);
  const create = (name: string) => createUser(ctx, name, passwordHash);
  const owner = await create('owner');
  for (const slug of Object.values(WORKSPACES)) {
    await createWorkspace(ctx, OPERATOR, { slug, name: slug, owner, plan: null });
  }
  const inviters = await Promise.all(numbered('inviter', INVITERS).map(create));
  const plain = { known: numbered('person', ACCOUNTS), unknown: numbered('nobody', ACCOUNTS) };
  const twoFactor = { known: numbered('keeper', ACCOUNTS), unknown: numbered('ghosts', ACCOUNTS) };
  for (const name of [...plain.known, ...twoFactor.known]) {
    const user = await create(name);
    const membership = { workspace: WORKSPACES.members, user, role: 'editor' as const };
    await setMember(ctx, OPERATOR, { ...membership, changedBy: 'operator', mode: 'set' });
  }
  await enableTotp(ctx, twoFactor.known.map(addressOf));
  return { plain: withAddresses(plain), twoFactor: withAddresses(twoFactor), inviters };
}

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(3, '0')}`);
const addressOf = (name: string): string => `${name}@example.com`;
const withAddresses = ({ known, unknown }: Addresses): Addresses => ({
  known: known.map(addressOf),
  unknown: unknown.map(addressOf),
});

async function createUser({ db, users }: AdminContext, name: string, passwordHash: string): Promise<User> {
  const email = addressOf(name);
  const user = { _id: newId('usr'), email, name, passwordHash, createdAt: new Date() };
  await db.transaction(async (tx) => void (await users.insertUser(user, tx.session)));
  return { ...user, emailKey: emailKey(email) };
}

/** The secret is never opened: the password of every measured sign-in is wrong. */
async function enableTotp({ db }: AdminContext, emails: string[]): Promise<void> {
  const secret = { keyId: 'bench', sealed: 's'.repeat(80) };
  const totp = { secret, enabledAt: new Date(), lastStep: 0, recoveryCodes: numbered('hash-of-a-recovery-code', 10) };
  await db.connection.collection('users').updateMany({ email: { $in: emails } }, { $set: { totp } });
}
