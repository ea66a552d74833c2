import { z } from 'zod';
import { processConfig, setting } from '@waymark/kernel/process/config';

const upstream = setting.httpOrigin;

export const gatewayConfig = z
  .object({
    ...processConfig.shape,
    PORT: setting.port.default(8080),
    IDENTITY_SECRET: setting.secretKey,
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
    /** Limit per address and gateway: public routes, unknown paths, missing or unknown credentials. */
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: setting.integer(1).default(600),
    /** Whether the gateway serves the console at `/console`. */
    CONSOLE: z.enum(['on', 'off']).default('on'),
    CONNECTIONS_MAX: setting.integer(1).default(8192),
  })
  .refine(({ DEPLOYMENT, DOMAIN_URL }) => DEPLOYMENT === 'qr' || DOMAIN_URL !== undefined, {
    path: ['DOMAIN_URL'],
    message: 'is needed in the links deployment',
  });
export type GatewayConfig = z.output<typeof gatewayConfig>;
