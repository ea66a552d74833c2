import { Pool } from 'undici';
import {
  AUTHORIZE_PATH,
  authorizeAnswers,
  type AuthorizeAnswer,
  type AuthorizeQuestion,
} from '@waymark/shared/contract/authorize';
import { SYSTEM_ACTOR } from '@waymark/shared/contract/identity';
import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import type { GatewayConfig } from '../config.js';
import { CALLS_MAX } from './question-queue.js';

const RENEW_AFTER_MS = 30_000;

/** The call to auth: a batch of questions, as many answers. */
export class AuthClient {
  private readonly pool: Pool;
  private ownIdentity = { header: '', signedAt: -Infinity };

  constructor(private readonly config: GatewayConfig) {
    this.pool = new Pool(config.AUTH_URL, {
      connections: CALLS_MAX,
      connectTimeout: config.AUTHORIZE_TIMEOUT_MS,
      headersTimeout: config.AUTHORIZE_TIMEOUT_MS,
      bodyTimeout: config.AUTHORIZE_TIMEOUT_MS,
    });
  }

  /** @throws when auth gives no clear answer. */
  async ask(questions: AuthorizeQuestion[]): Promise<AuthorizeAnswer[]> {
    const { statusCode, body } = await this.pool.request({
      path: AUTHORIZE_PATH,
      method: 'POST',
      headers: { 'content-type': 'application/json', [IDENTITY_HEADER]: this.identityHeader() },
      body: JSON.stringify({ questions }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`auth answered ${statusCode}`);
    const { answers } = authorizeAnswers.parse(JSON.parse(text));
    if (answers.length !== questions.length) throw new Error('auth did not answer every question');
    return answers;
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
        header: signIdentity(this.config.IDENTITY_PRIVATE_KEY, 'auth', identity),
        signedAt: performance.now(),
      };
    }
    return this.ownIdentity.header;
  }
}
