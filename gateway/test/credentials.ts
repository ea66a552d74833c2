import type { Ability } from '@waymark/contract/roles';
import { createPlaintextToken } from '@waymark/auth/workspaces/tokens/plaintext-token';
import { PEOPLE, type Person, type Principal, type Session, type Token, type TokenName, type World } from './world.js';

type Headers = Record<string, string>;

/** One way to authenticate: the headers, and the abilities that they must grant. */
export interface Credential {
  name: string;
  is: 'nobody' | 'token' | 'session';
  /** Its abilities in the workspace if its user is a member; those of `elsewhere` are for another workspace. */
  abilities: Ability[];
  /** The token that counts, if any. */
  token?: TokenName;
  hasCsrf?: boolean;
  /** Whether each person sends other headers. */
  hasVariants?: boolean;
  headers: (principal: Principal, person: Person, world: World) => Headers;
}

const bearer = ({ plaintext }: Token): Headers => ({ authorization: `Bearer ${plaintext}` });
const cookie = (session: Session): Headers => ({ cookie: session.cookie });
const browser = (session: Session): Headers => ({ ...cookie(session), 'x-csrf-token': session.csrf });

/** A valid token in six places that the gateway must ignore: each person tries another. */
function misplaced(token: string, person: Person): Headers {
  const places: Headers[] = [
    {},
    { authorization: token },
    { authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` },
    { authorization: `Token ${token}` },
    { cookie: `authorization=Bearer ${token}; __Host-waymark_session=` },
    { 'x-api-key': token, 'x-authorization': `Bearer ${token}`, 'proxy-authorization': `Bearer ${token}` },
  ];
  return places[PEOPLE.indexOf(person)]!;
}

const nobody = (name: string, headers: Credential['headers']): Credential => ({
  name,
  is: 'nobody',
  abilities: [],
  headers,
});
const tokenOf = (name: TokenName, abilities: Ability[]): Credential => ({
  name,
  is: 'token',
  abilities,
  token: name,
  headers: ({ tokens }) => bearer(tokens[name]),
});
const sessionOf = (name: string, hasCsrf: boolean, headers: Credential['headers']): Credential => ({
  name,
  is: 'session',
  abilities: ['read', 'write'],
  hasCsrf,
  headers,
});

export const CREDENTIALS: Credential[] = [
  { ...nobody('no token', ({ tokens }, person) => misplaced(tokens.read_write.plaintext, person)), hasVariants: true },
  nobody('mistyped token', ({ tokens }) => ({ authorization: `Bearer ${mistype(tokens.read_write.plaintext)}` })),
  nobody('unknown token', () => ({ authorization: `Bearer ${createPlaintextToken()}` })),
  nobody('revoked token', ({ tokens }) => bearer(tokens.revoked)),
  nobody('expired token', ({ tokens }) => bearer(tokens.expired)),
  tokenOf('read_only', ['read']),
  tokenOf('write_only', ['write']),
  tokenOf('read_write', ['read', 'write']),
  tokenOf('elsewhere', []),
  sessionOf('session', true, ({ session }) => browser(session)),
  sessionOf('session without CSRF', false, ({ session }) => cookie(session)),
  sessionOf('session with the CSRF token of another', false, ({ session, signedOut }) => ({
    ...cookie(session),
    'x-csrf-token': signedOut.csrf,
  })),
  nobody('signed-out session', ({ signedOut }) => browser(signedOut)),
  // The bearer token counts; the gateway ignores the cookie.
  {
    ...tokenOf('read_only', ['read']),
    name: "read_only beside the owner's cookie",
    headers: ({ tokens }, _person, { people }) => ({ ...browser(people.owner.session), ...bearer(tokens.read_only) }),
  },
  nobody('revoked token beside a cookie', ({ tokens, session }) => ({
    ...browser(session),
    ...bearer(tokens.revoked),
  })),
];

function mistype(token: string): string {
  return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
}
