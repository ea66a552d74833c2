import { z } from 'zod';
import { filter, item, list, nameOf, requiredText, timestamp } from './common.js';
import { asIssue, tooLong } from './problems.js';
import { planName } from './plans.js';
import { role } from './roles.js';
import type { RouteDefinition } from './route.js';
import { SIGN_IN_COOKIE } from './sessions.js';

/** An invitation to the user's own e-mail address. */
const ownInvitation = z.object({
  id: z.string(),
  workspace: z.object({ slug: z.string(), name: z.string() }),
  role,
  invited_by: z.object({ name: z.string() }),
  created_at: timestamp,
  expires_at: timestamp,
});

export const user = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  created_at: timestamp,
  workspaces: z.array(z.object({ slug: z.string(), name: z.string(), role, plan: planName })),
  invitations: z.array(ownInvitation).meta({
    description: 'The newest invitations to your e-mail address, for you to accept or decline; none for a token.',
  }),
  token: z.object({ id: z.string(), name: z.string(), abilities: z.array(z.string()) }).nullable(),
  totp_enabled: z.boolean().meta({ description: 'Whether signing in takes a second factor.' }),
  can_create_workspace: z.boolean().meta({
    description: 'Whether the operator lets you create workspaces; false for a token.',
  }),
});
export type UserBody = z.infer<typeof user>;

const credential = (name: string, max: number) =>
  requiredText(name).min(1, `The ${name} is required.`).max(max, `The ${name} must be at most ${max} characters.`);
/** Of addresses that are stored: SMTP carries no longer ones (RFC 5321, 4.5.3.1.3: 256 characters with the angle brackets). */
export const EMAIL_MAX = 254;
/** Of addresses that are looked up: earlier versions stored longer ones. */
export const KNOWN_EMAIL_MAX = 320;

/** The address of an account, as typed: one that no account can have is as wrong as one that none has. */
export const emailText = credential('email', KNOWN_EMAIL_MAX);

/** RFC 5321, 4.5.3.1.1. */
const LOCAL_PART_MAX = 64;

/**
 * The address of a person, to be stored; copied ones come with spaces around them. The length first: only a text of that
 * length is matched with the pattern.
 */
export const emailAddress = requiredText('email')
  .overwrite((text) => text.trim())
  .max(EMAIL_MAX, `The email must be at most ${EMAIL_MAX} characters.`)
  .overwrite(asciiEmail)
  .pipe(
    z
      .email('The email must be an e-mail address.')
      .refine(
        (email) => email.lastIndexOf('@') <= LOCAL_PART_MAX,
        asIssue(tooLong('email', LOCAL_PART_MAX, 'characters before the @')),
      ),
  );

/** Returns the address with its domain in ASCII (`xn--…`), as mail servers and the DNS name it. */
export function asciiEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  if (at < 0 || IS_ASCII.test(domain)) return email;
  const hostname = NAME.test(domain) ? URL.parse(`http://${domain}`)?.hostname : undefined;
  return hostname === undefined ? email : `${email.slice(0, at)}@${hostname}`;
}

// oxlint-disable-next-line no-control-regex
const IS_ASCII = /^[\x00-\x7f]*$/;
/** Nothing that a URL ends a host with. */
const NAME = /^[\p{L}\p{M}\p{N}.-]+$/u;

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 128;

/** A password that a user chooses; whether it is a common one is checked by auth. */
export const passwordOf = (name: string) =>
  requiredText(name)
    .min(PASSWORD_MIN, `The ${name} must have at least ${PASSWORD_MIN} characters.`)
    .max(PASSWORD_MAX, `The ${name} must have at most ${PASSWORD_MAX} characters.`);

export const updateUser = z.object({ name: nameOf(100) }).partial();

const revokeTokens = z
  .boolean({ error: 'The revoke_tokens must be true or false.' })
  .default(false)
  .meta({ description: 'Also revokes all of your access tokens, in every workspace.' });

const passwordOutcome = z.object({ ended_sessions: z.number().int(), revoked_tokens: z.number().int() });
const passwordMeta = z.object({
  live_tokens: z.number().int().meta({ description: 'Your access tokens that still work, in all workspaces.' }),
});

export const changePassword = z.object({
  current_password: credential('current_password', 1024),
  new_password: passwordOf('new_password'),
  revoke_tokens: revokeTokens,
});

export const session = z.object({
  id: z.string(),
  created_at: timestamp,
  last_seen_at: timestamp.meta({ description: 'Up to a minute older than the last request of the session.' }),
  ip_address: z.string().nullable().meta({ description: 'The address that the user signed in from.' }),
  user_agent: z.string().nullable().meta({ description: 'The browser that the user signed in with.' }),
  current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
});
export type SessionBody = z.infer<typeof session>;

/** Longer than any code, with the spaces and hyphens that people type. */
const CODE_MAX = 64;
const totpCode = credential('totp_code', CODE_MAX);
const recoveryCode = credential('recovery_code', CODE_MAX);

export const signIn = z.object({
  email: emailText,
  password: credential('password', 1024),
  totp_code: totpCode.optional().meta({ description: 'The current code of the authenticator app.' }),
  recovery_code: recoveryCode.optional().meta({ description: 'One of the recovery codes; each works once.' }),
});

const LINK_TOKEN_MAX = 128;
/** The token of a one-time link. */
export const linkToken = credential('token', LINK_TOKEN_MAX).meta({ description: 'The part of the link behind `#`.' });
export const resetPassword = z.object({
  token: linkToken,
  new_password: passwordOf('new_password'),
  revoke_tokens: revokeTokens,
});

export const signInMethods = z.object({
  single_sign_on: z.boolean().meta({ description: 'Whether `GET /session/oidc` signs browsers in.' }),
});

/** Also of the normalized address, which a cookie keeps. */
export const RETURN_TO_MAX = 512;
export const startOidc = z.object({
  return_to: filter('return_to', RETURN_TO_MAX).meta({
    description: 'The path of this site to which the browser is finally sent; the console by default.',
  }),
});
/** What the provider adds to the callback differs between providers. */
export const finishOidc = z.looseObject({
  code: z.unknown().optional().meta({ type: 'string', description: 'The code of the provider.' }),
  state: z
    .unknown()
    .optional()
    .meta({ type: 'string', description: 'The state of the sign-in that the browser began.' }),
});

export const requestPasswordReset = z.object({ email: emailText });

export const totpSetup = z.object({
  secret: z.string().meta({ description: 'The secret in base32, to type into an authenticator app.' }),
  otpauth_url: z.string().meta({ description: 'The same as a URL, to show as a QR code.' }),
});
export const confirmTotp = z.object({ code: credential('code', CODE_MAX) });
export const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
export const disableTotp = z.object({ password: credential('password', 1024) });
export const reauthenticate = z.object({ password: credential('password', 1024) });

export const userRoutes = {
  'user.show': {
    method: 'GET',
    path: '/user',
    service: 'auth',
    access: { kind: 'user' },
    response: { status: 200, schema: item(user), unversionedSchema: user },
  },
  'user.update': {
    method: 'PATCH',
    path: '/user',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: updateUser,
    response: { status: 200, schema: item(user) },
  },
  'user.changePassword': {
    method: 'POST',
    path: '/user/password',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: changePassword,
    response: { status: 200, schema: item(passwordOutcome, passwordMeta) },
  },
  'user.resetPassword': {
    method: 'POST',
    path: '/password-reset',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    body: resetPassword,
    response: {
      status: 200,
      schema: item(passwordOutcome.extend({ totp_disabled: z.boolean(), email_confirmed: z.boolean() }), passwordMeta),
    },
  },
  'user.requestPasswordReset': {
    method: 'POST',
    path: '/password-reset-request',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    body: requestPasswordReset,
    response: { status: 202 },
  },
  'user.startTotp': {
    method: 'POST',
    path: '/user/totp',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 200, schema: item(totpSetup) },
  },
  'user.confirmTotp': {
    method: 'POST',
    path: '/user/totp/confirm',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: confirmTotp,
    response: { status: 200, schema: item(recoveryCodes) },
  },
  'user.disableTotp': {
    method: 'DELETE',
    path: '/user/totp',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: disableTotp,
    response: { status: 204 },
  },
  'session.list': {
    method: 'GET',
    path: '/sessions',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 200, schema: list(session) },
  },
  'session.endOthers': {
    method: 'DELETE',
    path: '/sessions',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
  },
  'session.end': {
    method: 'DELETE',
    path: '/sessions/{id}',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
  },
  'session.create': {
    method: 'POST',
    path: '/session',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    body: signIn,
    response: { status: 200, schema: item(user, z.object({ csrf_token: z.string() })) },
  },
  'session.reauthenticate': {
    method: 'POST',
    path: '/session/reauthenticate',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: reauthenticate,
    response: { status: 204 },
  },
  'session.methods': {
    method: 'GET',
    path: '/session/methods',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    response: { status: 200, schema: item(signInMethods) },
  },
  'session.startOidc': {
    method: 'GET',
    path: '/session/oidc',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    query: startOidc,
    response: { status: 302 },
  },
  'session.finishOidc': {
    method: 'GET',
    path: '/session/oidc/callback',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    query: finishOidc,
    cookies: [SIGN_IN_COOKIE],
    response: { status: 302 },
  },
  'session.delete': {
    method: 'DELETE',
    path: '/session',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
