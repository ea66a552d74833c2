import { apiConfig, brokerConfig, databaseConfig, processConfig, setting } from '@waymark/kernel/process/config';
import { planName } from '@waymark/contract/plans';
import { z } from 'zod';
import { WORKSPACE_CREATION } from './workspaces/growth.js';

const isSafeIssuer = (issuer: string): boolean =>
  URL.canParse(issuer) &&
  (new URL(issuer).protocol === 'https:' || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(issuer).hostname));

export const authConfig = processConfig.extend({
  ...databaseConfig.shape,
  ...brokerConfig.shape,
  ...apiConfig.shape,
  API_WORKSPACE_REQUESTS_PER_MINUTE: setting.integer(1).default(120),
  /** Length of the sliding window; tests shorten it, the documented limit is per minute. */
  RATE_LIMIT_WINDOW_MS: setting.integer(100).default(60_000),
  /** Attempts in a quarter of an hour, successful or not. */
  SIGN_INS_PER_ADDRESS: setting.integer(1).default(100),
  /** Concurrent password checks; each uses a core for about 30 ms. */
  PASSWORD_CHECKS_AT_ONCE: setting.integer(1).max(4).default(2),
  /** A session ends after this time, and after this time without use. */
  SESSION_LIFETIME_HOURS: setting.integer(1).default(14 * 24),
  SESSION_IDLE_HOURS: setting.integer(1).default(3 * 24),
  /** Seals the secrets of two-factor sign-in; without it two-factor sign-in cannot be enabled. */
  TOTP_SECRET_KEY: setting.sealingKeys.optional(),
  /** Single sign-on by OpenID Connect; https, or http on loopback. */
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine(isSafeIssuer, 'must be an https URL')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  /** Whether people without an account get one at their first sign-in. */
  OIDC_CREATE_USERS: setting.flag.default(false),
  /** `smtp://` or `smtps://`, with user and password; without it no mail is sent. */
  SMTP_URL: setting.serverUrl(/^smtps?:$/, 'must be an SMTP URL with a valid host and port').optional(),
  /** The sender of mails; `no-reply@` the API's host unless set. */
  MAIL_FROM: z.string().max(320).optional(),
  /** Tokens that are not revoked; lists of them have no page limit. */
  MAX_TOKENS_PER_WORKSPACE: setting.integer(1).max(5000).default(200),
  MAX_MEMBERS_PER_WORKSPACE: setting.integer(1).max(5000).default(500),
  /** Invitations that wait for an answer. */
  MAX_INVITATIONS_PER_WORKSPACE: setting.integer(1).max(5000).default(100),
  /** Who may create workspaces beside the operator. */
  WORKSPACE_CREATION: z.enum(WORKSPACE_CREATION).default('members'),
  /** Whether invitation links make accounts for people who have none. */
  INVITE_NEW_PEOPLE: setting.flag.default(true),
  /** Attempts of users to create a workspace; the operator has no limit. 0: only the operator creates them. */
  WORKSPACES_PER_USER_AND_DAY: setting.integer(0).default(20),
  /** The plan of a workspace without a plan of its own, such as those that users create. */
  DEFAULT_PLAN: planName.default('enterprise'),
  PLAN_FREE_ACTIVE_LINKS: setting.integer(0).default(100),
  PLAN_FREE_CUSTOM_DOMAINS: setting.integer(0).default(1),
  PLAN_PRO_ACTIVE_LINKS: setting.integer(0).default(5000),
  PLAN_PRO_CUSTOM_DOMAINS: setting.integer(0).default(10),
  PLAN_BUSINESS_ACTIVE_LINKS: setting.integer(0).default(50_000),
  PLAN_BUSINESS_CUSTOM_DOMAINS: setting.integer(0).default(100),
});
export type AuthConfig = z.output<typeof authConfig>;
