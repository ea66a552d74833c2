import type { KeyObject } from 'node:crypto';
import { Pool } from 'undici';
import {
  AUTHORIZE_PATH,
  authorizeBatchResponse,
  authorizeResponse,
  INTERNAL_AUDIENCE,
  UNSERVED_PATH,
  type AuthorizeResponse,
  type AuthorizeRequest,
} from '@waymark/contract/authorize';
import { SYSTEM_ACTOR } from '@waymark/contract/identity';
import { deriveIdentityKey, IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import type { Log } from '@waymark/kernel/process/log';
import { CALLS_MAX } from './authorize-batcher.js';

/** How long auth may take to answer. */
export const AUTHORIZE_TIMEOUT_MS = 3000;
/** A third of the lifetime of an identity. */
const RENEW_AFTER_MS = 5000;

export interface AuthClientConfig {
  AUTH_URL: string;
  authorizeTimeoutMs: number;
  IDENTITY_SECRET: KeyObject;
}

/** The gateway's calls to auth: batches of requests to authorize. */
export class AuthClient {
  private readonly pool: Pool;
  private readonly identityKey: KeyObject;
  private ownIdentity = { header: '', signedAt: -Infinity };

  constructor(
    config: AuthClientConfig,
    private readonly log: Log,
  ) {
    this.pool = new Pool(config.AUTH_URL, {
      connections: CALLS_MAX,
      connectTimeout: config.authorizeTimeoutMs,
      // Longer than a request waits: what auth has counted too late is taken back.
      headersTimeout: 2 * config.authorizeTimeoutMs,
      bodyTimeout: 2 * config.authorizeTimeoutMs,
    });
    this.identityKey = deriveIdentityKey(config.IDENTITY_SECRET, 'auth');
  }

  /**
   * Returns the answers in the order of the requests; an invalid one, e.g. of a damaged row, is `unavailable`.
   * @throws when auth gives no valid answer to the batch
   */
  async authorizeBatch(requests: AuthorizeRequest[]): Promise<AuthorizeResponse[]> {
    const { answers } = authorizeBatchResponse.parse(await this.postMessage(AUTHORIZE_PATH, { questions: requests }));
    if (answers.length !== requests.length) throw new Error('auth did not answer every request');
    return answers.map((answer) => this.parseAnswer(answer));
  }

  /** Takes back the entries of requests that were counted and not served. */
  async noteUnserved(entries: string[]): Promise<void> {
    await this.postMessage(UNSERVED_PATH, { entries });
  }

  private parseAnswer(answer: unknown): AuthorizeResponse {
    const { data, error } = authorizeResponse.safeParse(answer);
    if (data) return data;
    this.log.warn({ err: error }, 'auth gave an invalid answer');
    return { outcome: 'unavailable' };
  }

  private async postMessage(path: string, message: object): Promise<unknown> {
    const { statusCode, body } = await this.pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', [IDENTITY_HEADER]: this.identityHeader() },
      body: JSON.stringify(message),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`auth answered ${statusCode}`);
    return JSON.parse(text);
  }

  closeConnections(): Promise<void> {
    return this.pool.close();
  }

  private identityHeader(): string {
    if (performance.now() - this.ownIdentity.signedAt > RENEW_AFTER_MS) {
      const identity = {
        actor: SYSTEM_ACTOR,
        workspace: null,
        session_id: null,
        request_id: 'gateway',
        ip_address: null,
      };
      this.ownIdentity = {
        header: signIdentity(this.identityKey, identity, { service: INTERNAL_AUDIENCE }),
        signedAt: performance.now(),
      };
    }
    return this.ownIdentity.header;
  }
}
