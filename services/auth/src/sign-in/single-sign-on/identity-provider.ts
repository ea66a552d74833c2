import {
  Configuration,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type CustomFetch,
  type IDToken,
  type ServerMetadata,
} from 'openid-client';
import { AppError, unavailable } from '@waymark/kernel/errors';
import { networkOf } from '@waymark/kernel/limits/networks';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { Log } from '@waymark/kernel/process/log';
import type { BrowserBinding } from './browser-binding.js';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The address of the callback. */
  redirectUri: string;
}

/** What the provider says about a person who has signed in there. */
export interface ProvenIdentity {
  issuer: string;
  subject: string;
  /** Only an address that the provider has verified. */
  email: string | null;
  name: string | null;
}

const SCOPE = 'openid email profile';
const DISCOVERY_FRESH_MS = 3600_000;
/** After a failed discovery no other one is tried for this long. */
const DISCOVERY_PAUSE_MS = 2000;
/**
 * Callbacks that ask the provider at the same time, in total and from one IPv4 address or IPv6 /64: others keep places while the
 * provider is slow. The gateway waits for both, the line and the provider.
 */
const CALLBACKS = { total: 16, perKey: 4, waitingMax: 64, waitMaxMs: 5000 };
const REASON_MAX = 300;

/** An OpenID provider: authorization code flow with PKCE, state and nonce; checks `iss` (RFC 9207) and signatures. */
export class IdentityProvider {
  private metadata?: { value: Promise<ServerMetadata>; usableUntil: number };
  private readonly callbacks = new KeyedLimit(CALLBACKS);

  constructor(
    private readonly settings: ProviderSettings,
    private readonly log: Log,
  ) {}

  /** Returns the provider's address for the sign-in of this browser. @throws AppError `service_unavailable` */
  async signInUrl({ state, nonce, codeVerifier }: BrowserBinding): Promise<URL> {
    const configuration = await this.configure();
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUri,
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Exchanges the code of a callback for the identity of the person.
   * @param search the query of the callback
   * @throws AppError `unauthenticated` when the provider or a check rejects it; `service_unavailable` when it does not
   * answer, or too many callbacks wait
   */
  proveIdentity(search: string, binding: BrowserBinding, address: string | null): Promise<ProvenIdentity> {
    return this.callbacks.run(networkOf(address ?? ''), () => this.askForIdentity(search, binding));
  }

  private async askForIdentity(search: string, binding: BrowserBinding): Promise<ProvenIdentity> {
    const configuration = await this.configure();
    try {
      return await this.exchangeCode(configuration, search, binding);
    } catch (error) {
      if (isProviderUnavailable(error)) throw unavailable(error);
      this.log.warn({ reason: reasonOf(error) }, 'single sign-on failed');
      throw new AppError('unauthenticated', 'Single sign-on failed. Start again.', { cause: error });
    }
  }

  private async exchangeCode(
    configuration: Configuration,
    search: string,
    { state, nonce, codeVerifier }: BrowserBinding,
  ): Promise<ProvenIdentity> {
    const callback = new URL(this.settings.redirectUri);
    callback.search = search;
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
    const tokens = await authorizationCodeGrant(configuration, callback, checks);
    const claims = tokens.claims()!;
    const hasProfile = claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint;
    const profile = hasProfile ? claims : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return identityOf(claims, profile);
  }

  /** A configuration caches the provider's keys: each sign-in has its own, so that a withdrawn key is refused at once. */
  private async configure(): Promise<Configuration> {
    const { clientId, clientSecret } = this.settings;
    const configuration = new Configuration(await this.readMetadata(), clientId, clientSecret);
    configuration[customFetch] = boundedFetch;
    enableNonRepudiationChecks(configuration);
    if (this.isInsecure) allowInsecureRequests(configuration);
    return configuration;
  }

  /** Caches what the provider says about itself, and a failure to ask it for a moment. */
  private readMetadata(): Promise<ServerMetadata> {
    if (!this.metadata || performance.now() > this.metadata.usableUntil) {
      const metadata = { value: this.discover(), usableUntil: performance.now() + DISCOVERY_FRESH_MS };
      this.metadata = metadata;
      metadata.value.catch(() => (metadata.usableUntil = performance.now() + DISCOVERY_PAUSE_MS));
    }
    return this.metadata.value.catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  private async discover(): Promise<ServerMetadata> {
    const { issuer, clientId, clientSecret } = this.settings;
    const execute = this.isInsecure ? [allowInsecureRequests] : [];
    const options = { [customFetch]: boundedFetch, execute };
    return (await discovery(new URL(issuer), clientId, clientSecret, undefined, options)).serverMetadata();
  }

  /** The configuration admits http for providers on loopback alone. */
  private get isInsecure(): boolean {
    return this.settings.issuer.startsWith('http:');
  }
}

/** What the operator needs to find the cause; without the claims and tokens that the library's errors carry. */
function reasonOf(error: unknown): string {
  const { message, code, error: providerCode } = error as Error & { code?: unknown; error?: unknown };
  return [message, code, providerCode]
    .filter((part) => typeof part === 'string')
    .join(', ')
    .slice(0, REASON_MAX);
}

function identityOf(
  { iss: issuer, sub: subject }: IDToken,
  { email, email_verified: isVerified, name }: Record<string, unknown>,
): ProvenIdentity {
  return {
    issuer,
    subject,
    email: typeof email === 'string' && isVerified === true ? email : null,
    name: typeof name === 'string' ? name : null,
  };
}

function isProviderUnavailable(error: unknown): boolean {
  if (error instanceof ProviderUnavailable) return true;
  return error instanceof Error && error.cause !== undefined && isProviderUnavailable(error.cause);
}

/** The identity provider does not answer, or answers that it cannot. */
class ProviderUnavailable extends Error {}

const TIMEOUT_MS = 5000;
const BODY_MAX_BYTES = 1024 * 1024;

/** Bounds the time and the size of each answer of the provider, the body included. */
const boundedFetch: CustomFetch = async (url, options) => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...(options as RequestInit), signal });
    const isUnavailable = response.status >= 500 || response.status === 429;
    if (isUnavailable) throw new Error(`the provider answers ${response.status}`);
    return new Response(await readBounded(response), { status: response.status, headers: response.headers });
  } catch (error) {
    throw new ProviderUnavailable(`${new URL(url).origin} is not available`, { cause: error });
  }
};

async function readBounded({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > BODY_MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk as Uint8Array);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
