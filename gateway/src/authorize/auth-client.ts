import { Pool } from 'undici';
import {
  AUTHORIZE_PATH,
  authorizeBatchResponse,
  INTERNAL_AUDIENCE,
  type AuthorizeResponse,
  type AuthorizeRequest,
} from '@waymark/contract/authorize';
import {
  ADDRESS_COUNTS_PATH,
  addressLevels,
  type AddressCount,
  type AddressLevel,
} from '@waymark/contract/address-counts';
import { SYSTEM_ACTOR } from '@waymark/contract/identity';
import { IDENTITY_HEADER, signIdentity } from '@waymark/kernel/http/identity';
import type { GatewayConfig } from '../config.js';
import { CALLS_MAX } from './question-queue.js';

const RENEW_AFTER_MS = 30_000;

/** The gateway's calls to auth: batches of authorization questions, and reports of busy addresses. */
export class AuthClient {
  private readonly pool: Pool;
  private ownIdentity = { header: '', signedAt: -Infinity };

  constructor(private readonly config: GatewayConfig) {
    this.pool = new Pool(config.AUTH_URL, {
      // One extra connection for reports, which must not delay authorization.
      connections: CALLS_MAX + 1,
      connectTimeout: config.AUTHORIZE_TIMEOUT_MS,
      headersTimeout: config.AUTHORIZE_TIMEOUT_MS,
      bodyTimeout: config.AUTHORIZE_TIMEOUT_MS,
    });
  }

  /** @throws when auth gives no valid answer */
  async ask(questions: AuthorizeRequest[]): Promise<AuthorizeResponse[]> {
    const { answers } = authorizeBatchResponse.parse(await this.post(AUTHORIZE_PATH, { questions }));
    if (answers.length !== questions.length) throw new Error('auth did not answer every question');
    return answers;
  }

  /** @throws when auth gives no valid answer; it may have counted the report anyway */
  async report(counts: AddressCount[]): Promise<AddressLevel[]> {
    return addressLevels.parse(await this.post(ADDRESS_COUNTS_PATH, { counts })).levels;
  }

  private async post(path: string, message: object): Promise<unknown> {
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

  close(): Promise<void> {
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
        header: signIdentity(this.config.IDENTITY_PRIVATE_KEY, identity, { service: INTERNAL_AUDIENCE }),
        signedAt: performance.now(),
      };
    }
    return this.ownIdentity.header;
  }
}
