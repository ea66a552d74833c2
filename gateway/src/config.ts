import { z } from 'zod';
import { bodyLimitOf, type RouteDefinition } from '@waymark/contract/route';
import { ROUTES } from '@waymark/contract/routes';
import { LARGE_BODY_BYTES } from '@waymark/kernel/http/read-body';
import { processConfig, setting } from '@waymark/kernel/process/config';

const upstream = setting.httpOrigin;

const MIB = 1024 * 1024;
const LARGEST_BODY_BYTES = Math.max(...(Object.values(ROUTES) as RouteDefinition[]).map(bodyLimitOf));

export const gatewayConfig = z
  .object({
    ...processConfig.shape,
    PORT: setting.port.default(8080),
    IDENTITY_PRIVATE_KEY: setting.privateKey,
    AUTH_URL: upstream,
    RESOURCE_URL: upstream,
    ANALYTICS_URL: upstream,
    WEBHOOK_URL: upstream,
    /** Required in the links deployment; the QR deployment has no domains. */
    DOMAIN_URL: upstream.optional(),
    AUDIT_URL: upstream,
    /** Addresses and networks whose `X-Forwarded-For` the gateway trusts. */
    TRUSTED_PROXIES: setting.commaList.default(['loopback']),
    /** Origins whose pages may call the API from a browser. */
    CORS_ORIGINS: setting.commaList.pipe(z.array(z.url({ protocol: /^https?$/ }))).default([]),
    /** The date from which the unversioned routes may be removed; not announced until it is set. */
    UNVERSIONED_SUNSET: z.iso
      .date()
      .transform((date) => new Date(date))
      .optional(),
    UPSTREAM_TIMEOUT_MS: setting.integer(100).default(30_000),
    AUTHORIZE_TIMEOUT_MS: setting.integer(100).default(3000),
    /** Limit per address over all gateways: public routes, unknown paths, missing or unknown credentials. */
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: setting.integer(1).default(600),
    /** Limit per user and gateway: requests over the rate limit, or to a workspace that the user has no access to. */
    REFUSED_REQUESTS_PER_MINUTE: setting.integer(1).default(600),
    /** Pending requests to one service, per gateway: of users, and as many without a user. */
    IN_FLIGHT_PER_SERVICE: setting.integer(1).default(1024),
    IN_FLIGHT_PER_ADDRESS: setting.integer(1).default(64),
    /** Reads and changes apart; further ones wait. */
    IN_FLIGHT_PER_USER: setting.integer(1).default(128),
    IN_FLIGHT_PER_WORKSPACE: setting.integer(1).default(256),
    /**
     * Memory for the bodies of unanswered requests on routes that allow at most 64 KiB: in total and per caller. A caller's
     * part holds the largest bodies of a minute's requests.
     */
    SMALL_BODY_BYTES_MAX: setting.integer(LARGE_BODY_BYTES).default(24 * MIB),
    SMALL_BODY_BYTES_PER_CALLER: setting.integer(LARGE_BODY_BYTES).default(8 * MIB),
    /** The same on the other routes, also per workspace. */
    LARGE_BODY_BYTES_MAX: setting.integer(LARGEST_BODY_BYTES).default(40 * MIB),
    LARGE_BODY_BYTES_PER_CALLER: setting.integer(LARGEST_BODY_BYTES).default(16 * MIB),
    LARGE_BODY_BYTES_PER_WORKSPACE: setting.integer(LARGEST_BODY_BYTES).default(24 * MIB),
    /** Memory for answers that clients have not read; and the time to read the rest after the service has sent all. */
    UNREAD_BYTES_MAX: setting.integer(MIB).default(48 * MIB),
    READING_TIMEOUT_MS: setting.integer(100).default(5 * 60_000),
    /** Time limits for receiving a body: on routes that allow at most 64 KiB, and on the others. */
    SMALL_BODY_TIMEOUT_MS: setting.integer(100).default(10_000),
    LARGE_BODY_TIMEOUT_MS: setting.integer(100).default(60_000),
    /** Whether the gateway serves the console at `/console`. */
    CONSOLE: z.enum(['on', 'off']).default('on'),
    CONNECTIONS_MAX: setting.integer(1).default(8192),
    CONNECTIONS_PER_ADDRESS: setting.integer(1).default(512),
  })
  .refine(({ DEPLOYMENT, DOMAIN_URL }) => DEPLOYMENT === 'qr' || DOMAIN_URL !== undefined, {
    path: ['DOMAIN_URL'],
    message: 'is needed in the links deployment',
  });
export type GatewayConfig = z.output<typeof gatewayConfig>;
