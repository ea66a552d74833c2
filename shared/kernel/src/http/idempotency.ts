import { hash, subtle } from 'node:crypto';
import { Schema, type ClientSession, type Model } from 'mongoose';
import type { Request } from 'express';
import { formatInvalid } from '@waymark/contract/problems';
import type { RouteDefinition } from '@waymark/contract/route';
import { beforeCommit } from '../mongo/before-commit.js';
import { canonicalJson } from '../canonical-json.js';
import type { Database } from '../mongo/database.js';
import { AppError, invalid, isDuplicateKey } from '../errors.js';
import type { Reply } from './reply.js';

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
const KEPT_SECONDS = 24 * 3600;
/** Printable ASCII; with or without the quotes of a structured field. */
const KEY = /^[\x21-\x7e]{1,255}$/;

interface FirstAnswer {
  _id: string;
  /** Absent outside workspaces, and in rows of 0.1.0. */
  workspace?: string;
  fingerprint: string;
  /** The reply, or in place of one with a secret the item that was created, as JSON. */
  reply: string;
  at: Date;
}

export interface IdempotentCall {
  key: string;
  /** User, workspace, route and the ids in its path: the same key in another scope is another key. */
  scope: string;
  workspace: string | null;
  /** The hash of the body; see `fingerprintOf`. */
  fingerprint: string;
  /** True when the answer has a secret, which must not be stored. */
  hasSecret: boolean;
}

/** Another request with this key has taken effect in the meantime. */
class AlreadyDone extends Error {}

/**
 * Makes a create safe to repeat: its first answer is stored in the transaction of its effect and replayed for 24 h.
 * Of two concurrent requests with one key, the second fails at the first's row and gets the first's answer.
 */
export class Idempotency {
  private readonly answers: Model<FirstAnswer>;

  constructor(db: Database) {
    const schema = new Schema<FirstAnswer>({
      _id: String,
      workspace: String,
      fingerprint: String,
      reply: String,
      at: Date,
    });
    schema.index({ workspace: 1 }, { partialFilterExpression: { workspace: { $type: 'string' } } });
    schema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS });
    this.answers = db.model<FirstAnswer>('FirstAnswer', schema, 'idempotency_keys');
  }

  /**
   * Call it when `replay` returned `null`.
   * @param present turns the result of the effect's transaction into the answer, without any I/O
   */
  async run<T>(call: IdempotentCall, effect: () => Promise<T>, present: (result: T) => Reply): Promise<Reply> {
    const _id = idOf(call);
    const { fingerprint, hasSecret, workspace } = call;
    const owner = workspace === null ? {} : { workspace };
    const kept = (reply: Reply) => JSON.stringify(hasSecret ? createdBy(reply) : reply);
    const store = (result: unknown, session: ClientSession) =>
      this.store({ _id, ...owner, fingerprint, reply: kept(present(result as T)), at: new Date() }, session);
    try {
      return present(await beforeCommit.run(store, effect));
    } catch (error) {
      // It may have failed because its twin was first: at the twin's row, or at a value that the twin has taken.
      const first = await this.replay(call);
      if (first) return first;
      if (!(error instanceof AlreadyDone)) throw error;
      throw new AppError('conflict', `A request with this ${IDEMPOTENCY_HEADER} is still being handled.`);
    }
  }

  private async store(answer: FirstAnswer, session: ClientSession): Promise<void> {
    try {
      await this.answers.insertMany([answer], { session, lean: true });
    } catch (error) {
      throw isDuplicateKey(error) ? new AlreadyDone() : error;
    }
  }

  /** The first answer to this call, if there is one. @throws AppError `conflict` where it had a secret */
  async replay(call: IdempotentCall): Promise<Reply | null> {
    const first = await this.answers.findById(idOf(call)).lean<FirstAnswer>();
    if (!first) return null;
    if (first.fingerprint !== call.fingerprint) {
      throw new AppError('conflict', `This ${IDEMPOTENCY_HEADER} was used with another body.`);
    }
    const reply = JSON.parse(first.reply) as Reply | Created;
    if ('createdId' in reply) throw secretNotRepeated(reply);
    return { ...reply, headers: { ...reply.headers, 'Idempotency-Replayed': 'true' } };
  }
}

interface Created {
  createdId: string;
}

const createdBy = ({ body }: Reply): Created => ({ createdId: (body as { data: { id: string } }).data.id });

const secretNotRepeated = ({ createdId }: Created) =>
  new AppError(
    'conflict',
    `The first request with this ${IDEMPOTENCY_HEADER} created ${createdId}. Its answer had a secret, which is shown once. ` +
      `If you do not have it, delete ${createdId} and repeat the request with another key.`,
    { details: { created_id: createdId } },
  );

/**
 * Rejects a key that would be ignored: the client relies on it.
 * @throws AppError `bad_request`
 */
export function refuseUnusedKey(route: RouteDefinition, request: Request): void {
  if (route.idempotent || request.get(IDEMPOTENCY_HEADER) === undefined) return;
  throw new AppError('bad_request', `This operation takes no ${IDEMPOTENCY_HEADER}.`);
}

/** @throws AppError `validation_failed` for an invalid key */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (KEY.test(key)) return key;
  throw invalid({ [IDEMPOTENCY_HEADER]: [formatInvalid(IDEMPOTENCY_HEADER, 'be 1 to 255 printable characters')] });
}

/** Hashes a parsed body regardless of the order of names, or the bytes of a large body, in the thread pool. */
export async function fingerprintOf(body: unknown): Promise<string> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(canonicalJson(body));
  return Buffer.from(await subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString('base64url');
}

function idOf({ scope, key }: IdempotentCall): string {
  return hash('sha256', `${scope}\n${key}`, 'base64url');
}
