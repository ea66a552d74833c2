import { WORKSPACES, type Addresses, type Installation, type Request } from './installation.js';

/** A request whose answer must not tell whether an address has an account, not even by its time. */
export interface Question {
  addresses: Addresses;
  /** The status of the answer, for known and unknown addresses. */
  status: number;
  request: (email: string) => Request;
  /** Undoes what a request has changed, outside of the measured time. */
  undo?: (body: string) => Promise<void>;
}

const WRONG_PASSWORD = 'not the password of anyone';

export async function prepareQuestions(installation: Installation): Promise<Record<string, Question>> {
  const { plain, twoFactor, anonymousRequest } = installation;
  const tokens = await inviteAll(installation, [...plain.known, ...plain.unknown]);
  return {
    'sign-in, wrong password': {
      addresses: plain,
      status: 401,
      request: (email) => anonymousRequest('POST', '/session', { email, password: WRONG_PASSWORD }),
    },
    'sign-in, wrong password, with a code': {
      addresses: twoFactor,
      status: 401,
      request: (email) =>
        anonymousRequest('POST', '/session', { email, password: WRONG_PASSWORD, totp_code: '123456' }),
    },
    'request of a password reset': {
      addresses: plain,
      status: 202,
      request: (email) => anonymousRequest('POST', '/password-reset-request', { email }),
    },
    'look-up of an invitation': {
      addresses: plain,
      status: 200,
      request: (email) => anonymousRequest('GET', `/invitations/${tokens.get(email)!}`),
    },
    'invitation of an address': createInvitation(installation),
  };
}

/** Invites every address to another workspace. @returns the tokens of the links, by address */
async function inviteAll(installation: Installation, emails: string[]): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const [index, email] of emails.entries()) {
    const options = {
      workspace: WORKSPACES.lookedUp,
      actor: inviterOf(installation, index),
      body: { email, role: 'viewer' },
    };
    const answer = await installation.caller.call('POST', '/invitations', options);
    if (answer.status !== 201) throw new Error(`an invitation answered ${answer.status} ${answer.text}`);
    const { invite_url: url } = (answer.body as { meta: { invite_url: string } }).meta;
    tokens.set(email, url.slice(url.indexOf('#') + 1));
  }
  return tokens;
}

function createInvitation(installation: Installation): Question {
  const { caller, plain } = installation;
  let requests = 0;
  return {
    addresses: plain,
    status: 201,
    request: (email) => {
      requests += 1;
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ email, role: 'viewer' });
      const options = { workspace: WORKSPACES.inviting, actor: inviterOf(installation, requests), headers };
      const { url, headers: signed } = caller.addressed('/invitations', { ...options, method: 'POST', body });
      return { url, init: { method: 'POST', headers: signed, body } };
    },
    undo: async (text) => {
      const { data } = JSON.parse(text) as { data: { id: string } };
      const { status } = await caller.call('DELETE', `/invitations/${data.id}`, { workspace: WORKSPACES.inviting });
      if (status !== 204) throw new Error(`the deletion of an invitation answered ${status}`);
    },
  };
}

function inviterOf({ inviters }: Installation, index: number) {
  const { _id: id, name, email } = inviters[index % inviters.length]!;
  return { type: 'user' as const, id, name, email, token_id: null };
}
