import { z } from 'zod';
import { processConfig, setting } from '@waymark/shared/kernel/config';

const upstream = setting.httpOrigin;

export const gatewayConfig = z
  .object({
    ...processConfig.shape,
    PORT: setting.port.default(8080),
    IDENTITY_PRIVATE_KEY: setting.privateKey,
    AUTH_URL: upstream,
    RESOURCE_URL: upstream,
    ANALYTICS_URL: upstream,
    WEBHOOK_URL: upstream,
    /** Only the links deployment has domains. */
    DOMAIN_URL: upstream.optional(),
    AUDIT_URL: upstream,
    /** Addresses and networks whose `X-Forwarded-For` is believed. */
    TRUSTED_PROXIES: setting.commaList.default(['loopback']),
    /** Origins whose pages may call the API from a browser. */
    CORS_ORIGINS: setting.commaList.pipe(z.array(z.url({ protocol: /^https?$/ }))).default([]),
    /** From when on the unversioned routes may be gone; nothing is promised until it is set. */
    UNVERSIONED_SUNSET: z.iso
      .date()
      .transform((date) => new Date(date))
      .optional(),
    UPSTREAM_TIMEOUT_MS: setting.integer(100).default(30_000),
    AUTHORIZE_TIMEOUT_MS: setting.integer(100).default(3000),
    /** Of one address, at one gateway. */
    BAD_BEARERS_PER_MINUTE: setting.integer(1).default(600),
  })
  .refine(({ DEPLOYMENT, DOMAIN_URL }) => DEPLOYMENT === 'qr' || DOMAIN_URL !== undefined, {
    path: ['DOMAIN_URL'],
    message: 'is needed in the links deployment',
  });
export type GatewayConfig = z.output<typeof gatewayConfig>;
