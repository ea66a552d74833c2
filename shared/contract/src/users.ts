import { z } from 'zod';
import { filter, item, list, nameOf, requiredText, timestamp } from './common.js';
import { asIssue, tooLong } from './problems.js';
import { planName } from './plans.js';
import { role } from './roles.js';
import type { RouteDefinition } from './route.js';
import { SIGN_IN_COOKIE } from './sessions.js';

/** The fields by which answers name a user. */
export const userFields = {
  id: z.string().describe('Id of the user, `usr_…`.'),
  name: z.string().describe('Name for people, at most 100 characters.'),
  email: z.string().describe('Address that the user signs in with; its case does not matter.'),
};

/** The fields by which answers name a workspace. */
export const workspaceFields = {
  slug: z.string().describe('Identifies the workspace in paths and abilities; it never changes.'),
  name: z.string().describe('Name for people, at most 100 characters.'),
};

/** The fields by which answers name a token. */
export const tokenFields = {
  id: z.string().describe('Id of the token, `tok_…`.'),
  name: z.string().describe('Name for people, at most 100 characters; several tokens may have the same.'),
  abilities: z
    .array(z.string())
    .describe('What the token may do, e.g. `workspace:acme:read`; the ability `write` includes `read`.'),
};

/** The times of an invitation. */
export const invitationTimes = {
  created_at: timestamp.describe('When it was sent, in UTC.'),
  expires_at: timestamp.describe('Until when it can be accepted, in UTC: seven days after it was sent.'),
};
export const grantedRole = role.describe('The role that the person gets by accepting.');
export const inviterName = z
  .string()
  .describe('Name of the person who sent the invitation; empty when the account no longer exists.');

/** An invitation to the user's own e-mail address. */
const ownInvitation = z.object({
  id: z.string().describe('Id of the invitation, `inv_…`, to accept or decline it.'),
  workspace: z.object(workspaceFields).describe('The workspace that you are invited to.'),
  role: grantedRole,
  invited_by: z.object({ name: inviterName }).describe('The person who sent it.'),
  ...invitationTimes,
});

export const user = z
  .object({
    ...userFields,
    created_at: timestamp.describe('When the account was created, in UTC.'),
    workspaces: z
      .array(
        z.object({
          ...workspaceFields,
          role: role.describe('The role of the user in it.'),
          plan: planName.describe('Its plan.'),
        }),
      )
      .describe('The workspaces of the user, sorted by slug; for a token only its own.'),
    invitations: z
      .array(ownInvitation)
      .describe(
        'The newest 50 invitations to your e-mail address, to accept or decline. Empty for a token, and while it is not ' +
          'proven that the address is yours.',
      ),
    token: z
      .object(tokenFields)
      .nullable()
      .describe('The token that made the request; `null` for a signed-in browser.'),
    totp_enabled: z.boolean().describe('Whether signing in with the password takes a second factor.'),
    can_create_workspace: z
      .boolean()
      .describe('Whether the operator lets you create workspaces; `false` for a token, which cannot.'),
  })
  .describe('The user who makes the request, and the credential.');
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
    .max(PASSWORD_MAX, `The ${name} must have at most ${PASSWORD_MAX} characters.`)
    .describe('10 to 128 characters: not a common password, the e-mail address, or its part before the `@`.');

export const updateUser = z
  .object({ name: nameOf(100).describe('Your new name, 1 to 100 characters. Unchanged when absent.') })
  .partial();

const revokeTokens = z.boolean({ error: 'The revoke_tokens must be true or false.' }).default(false).meta({
  description: 'Whether to revoke all of your access tokens as well, in every workspace. `false` by default.',
});

const passwordOutcome = z
  .object({
    ended_sessions: z.number().int().describe('Sessions of yours that ended.'),
    revoked_tokens: z.number().int().describe('Access tokens of yours that were revoked, in all workspaces.'),
  })
  .describe('What the new password ended.');
const passwordMeta = z
  .object({
    live_tokens: z.number().int().describe('Access tokens of yours that still work, in all workspaces.'),
  })
  .describe('What the new password left.');

const accountPassword = credential('password', 1024).describe('The current password of the account.');

export const changePassword = z.object({
  current_password: credential('current_password', 1024).describe('The password that you sign in with now.'),
  new_password: passwordOf('new_password'),
  revoke_tokens: revokeTokens,
});

export const session = z
  .object({
    id: z.string().describe('Id of the session, `ses_…`, to end it.'),
    created_at: timestamp.describe('When the user signed in, in UTC.'),
    last_seen_at: timestamp.describe(
      'Time of its last request, in UTC; the time shown may be up to a minute too early.',
    ),
    ip_address: z.string().nullable().describe('IP address that the user signed in from; `null` when it is not known.'),
    user_agent: z
      .string()
      .nullable()
      .describe('`User-Agent` of the browser at the sign-in, at most 512 characters; `null` when it sent none.'),
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .describe('A signed-in browser.');
export type SessionBody = z.infer<typeof session>;

/** Longer than any code, with the spaces and hyphens that people type. */
const CODE_MAX = 64;
const totpCode = credential('totp_code', CODE_MAX);
const recoveryCode = credential('recovery_code', CODE_MAX);

const accountEmail = emailText.describe('E-mail address of the account; its case does not matter.');

export const signIn = z.object({
  email: accountEmail,
  password: accountPassword,
  totp_code: totpCode
    .optional()
    .describe(
      'The current six digits of the authenticator app, for a user with two-factor sign-in. Each code works once.',
    ),
  recovery_code: recoveryCode
    .optional()
    .describe('One of the ten recovery codes, in place of `totp_code`. Each works once.'),
});

const LINK_TOKEN_MAX = 128;
/** The token of a one-time link. */
export const linkToken = credential('token', LINK_TOKEN_MAX).describe('The part of the one-time link behind `#`.');
export const resetPassword = z.object({
  token: linkToken,
  new_password: passwordOf('new_password'),
  revoke_tokens: revokeTokens,
});

export const signInMethods = z
  .object({
    single_sign_on: z.boolean().describe('Whether `GET /session/oidc` signs browsers in with an identity provider.'),
  })
  .describe('How browsers may sign in.');

/** Also of the normalized address, which a cookie keeps. */
export const RETURN_TO_MAX = 512;
export const startOidc = z.object({
  return_to: filter('return_to', RETURN_TO_MAX).meta({
    description:
      'Path of this site, such as `/console/links`, to which the browser is finally sent; the console by default.',
  }),
});
/** What the provider adds to the callback differs between providers. */
export const finishOidc = z.looseObject({
  code: z.unknown().optional().meta({ type: 'string', description: 'Authorization code that the provider issued.' }),
  state: z.unknown().optional().meta({
    type: 'string',
    description: 'Ties the callback to the sign-in that this browser began, at most 10 minutes ago.',
  }),
});

export const requestPasswordReset = z.object({ email: accountEmail });

export const totpSetup = z
  .object({
    secret: z.string().describe('The secret in base32, to type into an authenticator app.'),
    otpauth_url: z.string().describe('The same secret as an `otpauth://` URL, to show as a QR code.'),
  })
  .describe('A new secret, which has no effect until it is confirmed.');
export const confirmTotp = z.object({
  code: credential('code', CODE_MAX).describe(
    'The six digits that the authenticator app shows now for the new secret.',
  ),
});
export const recoveryCodes = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe('Ten codes, each of which replaces a code of the app once. They are shown in this response alone.'),
  })
  .describe('What to keep in case the authenticator app is lost.');
export const disableTotp = z.object({ password: accountPassword });
export const reauthenticate = z.object({ password: accountPassword });

const resetOutcome = passwordOutcome
  .extend({
    totp_disabled: z
      .boolean()
      .describe('Whether two-factor sign-in was disabled, which happens only with `email_confirmed`.'),
    email_confirmed: z
      .boolean()
      .describe('Whether the mailed link proved the address of an account that an invitation link had made.'),
  })
  .describe('What the new password ended, and what the link proved.');

const csrfMeta = z
  .object({
    csrf_token: z.string().describe('Send it as `X-CSRF-Token` with every change that this session makes.'),
  })
  .describe('The secret of the session that scripts need.');

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
      schema: item(resetOutcome, passwordMeta),
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
    response: { status: 200, schema: item(user, csrfMeta) },
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
