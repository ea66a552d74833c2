import { ROUTES } from '@waymark/contract/routes';
import { V1_PREFIX } from '@waymark/contract/route';
import { ConfigError } from '@waymark/kernel/process/config';
import type { Log } from '@waymark/kernel/process/log';
import { IdentityProvider } from './identity-provider.js';

interface OidcConfig {
  API_BASE_URL: string;
  OIDC_ISSUER?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
}

/** @returns `null` in an installation without single sign-on */
export function createIdentityProvider(config: OidcConfig, log: Log): IdentityProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined) return null;
  if (clientId === undefined) throw new ConfigError('OIDC_CLIENT_ID is not set');
  if (clientSecret === undefined) throw new ConfigError('OIDC_CLIENT_SECRET is not set');
  const redirectUri = config.API_BASE_URL + V1_PREFIX + ROUTES['session.finishOidc'].path;
  return new IdentityProvider({ issuer, clientId, clientSecret, redirectUri }, log);
}
