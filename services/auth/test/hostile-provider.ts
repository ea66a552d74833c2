import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Endpoint = 'discovery' | 'token' | 'keys' | 'userinfo';

const PATHS: Readonly<Record<string, Endpoint>> = {
  '/.well-known/openid-configuration': 'discovery',
  '/token': 'token',
  '/keys': 'keys',
  '/userinfo': 'userinfo',
};
const CHUNK = ' '.repeat(64 * 1024);

export function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Answers that never end, or that are not answers. */
export const HOSTILE_ANSWERS: Readonly<Record<string, RequestListener>> = {
  'nothing at all': () => undefined,
  'a byte now and then': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(timer));
  },
  'an endless body': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const send = (): void => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on('drain', send);
    send();
  },
  'an error of the server': (_request, response) => void response.writeHead(500).end(),
  'that there are too many requests': (_request, response) => void response.writeHead(429).end(),
};

/** A provider that answers as a test says; it signs ID tokens by hand. */
export class HostileProvider {
  answers: Partial<Record<Endpoint, RequestListener>> = {};
  private readonly key = generateKeyPairSync('rsa', { modulusLength: 2048 });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HostileProvider> {
    const server = createServer();
    const provider = new HostileProvider(server);
    server.on('request', (request, response) => {
      const endpoint = PATHS[request.url!];
      if (!endpoint) return response.writeHead(404).end();
      return (provider.answers[endpoint] ?? provider.usualAnswers[endpoint])(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get env(): Record<string, string> {
    return { OIDC_ISSUER: this.issuer, OIDC_CLIENT_ID: 'waymark', OIDC_CLIENT_SECRET: 'a secret of the client' };
  }

  private get usualAnswers(): Record<Endpoint, RequestListener> {
    const { issuer } = this;
    return {
      discovery: (_request, response) =>
        sendJson(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/userinfo`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        }),
      keys: (_request, response) => sendJson(response, { keys: [this.publicKey] }),
      userinfo: (_request, response) => sendJson(response, { sub: 'another person' }),
      token: (_request, response) => void response.writeHead(400).end(),
    };
  }

  /** Claims that Waymark accepts for the sign-in that began at this address. */
  claimsFor(location: string, email: string): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1000);
    const nonce = new URL(location).searchParams.get('nonce');
    const person = { sub: 'subject', email, email_verified: true };
    return { iss: this.issuer, aud: 'waymark', iat: now, exp: now + 3600, nonce, ...person };
  }

  /** Answers every code with this ID token. */
  issueToken(idToken: string): void {
    this.answers.token = (_request, response) =>
      sendJson(response, { access_token: 'access', token_type: 'Bearer', id_token: idToken });
  }

  signToken(
    claims: object,
    { alg = 'RS256', key = this.key.privateKey }: { alg?: string; key?: KeyObject } = {},
  ): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const content = `${encode({ alg, kid: 'only' })}.${encode(claims)}`;
    const signature = alg === 'RS256' ? sign('sha256', Buffer.from(content), key).toString('base64url') : '';
    return `${content}.${signature}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private get publicKey(): object {
    return { ...this.key.publicKey.export({ format: 'jwk' }), kid: 'only', alg: 'RS256', use: 'sig' };
  }
}
