import { Pool } from 'undici';
import {
  AUTHORIZE_PATH,
  authorizeAnswer,
  type AuthorizeAnswer,
  type AuthorizeQuestion,
} from '@waymark/shared/contract/authorize';
import { SYSTEM_ACTOR } from '@waymark/shared/contract/identity';
import { unavailable } from '@waymark/shared/kernel/errors';
import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import { currentContext } from '@waymark/shared/kernel/request-context';
import type { GatewayConfig } from '../config.js';

const CONNECTIONS = 32;
const RENEW_AFTER_MS = 30_000;

/** Asks auth about each request. Nothing is remembered between two of them, so a revocation holds at once. */
export class AuthClient {
  private readonly pool: Pool;
  private ownIdentity = { header: '', signedAt: 0 };

  constructor(private readonly config: GatewayConfig) {
    this.pool = new Pool(config.AUTH_URL, {
      connections: CONNECTIONS,
      connectTimeout: config.AUTHORIZE_TIMEOUT_MS,
      headersTimeout: config.AUTHORIZE_TIMEOUT_MS,
      bodyTimeout: config.AUTHORIZE_TIMEOUT_MS,
    });
  }

  /** @throws AppError `service_unavailable` when auth gives no clear answer: never open. */
  async authorize(question: AuthorizeQuestion): Promise<AuthorizeAnswer> {
    try {
      const { statusCode, body } = await this.pool.request({
        path: AUTHORIZE_PATH,
        method: 'POST',
        headers: this.headers(),
        body: JSON.stringify(question),
      });
      const answer = await body.text();
      if (statusCode !== 200) throw new Error(`auth answered ${statusCode}`);
      return authorizeAnswer.parse(JSON.parse(answer));
    } catch (error) {
      throw unavailable(error);
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private headers(): Record<string, string> {
    const context = currentContext();
    return {
      'content-type': 'application/json',
      [IDENTITY_HEADER]: this.identityHeader(),
      ...(context && { 'x-request-id': context.requestId, traceparent: context.traceparent }),
    };
  }

  private identityHeader(): string {
    if (Date.now() - this.ownIdentity.signedAt > RENEW_AFTER_MS) {
      const identity = {
        actor: SYSTEM_ACTOR,
        workspace: null,
        session_id: null,
        request_id: 'gateway',
        ip_address: null,
      };
      this.ownIdentity = {
        header: signIdentity(this.config.IDENTITY_PRIVATE_KEY, 'auth', identity),
        signedAt: Date.now(),
      };
    }
    return this.ownIdentity.header;
  }
}
