import type { Request, RequestHandler, Response } from 'express';
import { bodyLimitOf, type RouteDefinition } from '@waymark/contract/route';
import { AppError, unavailable, tooManyRequests } from '@waymark/kernel/errors';
import { LARGE_BODY_BYTES } from '@waymark/kernel/http/read-body';
import { Budget, type BudgetOwner } from '../limits/budget.js';
import { callerOwners, identityOf, requestOwners } from './budget-owners.js';

/** Minimum allocation per body, so that a thousand one-byte bodies count too. */
const FIRST_BYTES = 4096;

const CLOSE = { headers: { Connection: 'close' } };
const tooLarge = (limit: number) => new AppError('payload_too_large', `The body must be at most ${limit} bytes.`);
const overdue = () => new AppError('request_timeout', 'The request was not completed in time.', CLOSE);
const overBudget = () => {
  const { code, message, headers } = unavailable();
  const cause = new Error('the bodies of unanswered requests take too many bytes');
  return new AppError(code, message, { headers: { ...headers, ...CLOSE.headers }, cause });
};
/** For addresses without a user: the gateway answers a member with 429 only beyond the limit on requests. */
const overAddressBudget = () => {
  const { code, message, headers } = tooManyRequests(
    'Too many bytes of request bodies at the same time. Try again later.',
    1,
  );
  return new AppError(code, message, { headers: { ...headers, ...CLOSE.headers } });
};
const hasUser = (response: Response): boolean => identityOf(response).actor.id !== null;

/** Bodies of one size: stalled imports must not stop sign-ins. */
interface BodyBudget {
  bytes: Budget;
  timeoutMs: number;
  ownersOf: (response: Response) => BudgetOwner[];
}

export interface BodyBudgets {
  small: BodyBudget;
  large: BodyBudget;
}

export interface BodyLimits {
  SMALL_BODY_BYTES_MAX: number;
  SMALL_BODY_BYTES_PER_CALLER: number;
  SMALL_BODY_TIMEOUT_MS: number;
  LARGE_BODY_BYTES_MAX: number;
  LARGE_BODY_BYTES_PER_CALLER: number;
  LARGE_BODY_BYTES_PER_WORKSPACE: number;
  LARGE_BODY_TIMEOUT_MS: number;
}

export function createBodyBudgets(config: BodyLimits): BodyBudgets {
  const { SMALL_BODY_BYTES_PER_CALLER, LARGE_BODY_BYTES_PER_CALLER, LARGE_BODY_BYTES_PER_WORKSPACE } = config;
  const ofCaller = (max: number) => ({ user: max, address: max });
  return {
    small: {
      bytes: new Budget(config.SMALL_BODY_BYTES_MAX),
      timeoutMs: config.SMALL_BODY_TIMEOUT_MS,
      ownersOf: (response) => callerOwners(response, ofCaller(SMALL_BODY_BYTES_PER_CALLER)),
    },
    large: {
      bytes: new Budget(config.LARGE_BODY_BYTES_MAX),
      timeoutMs: config.LARGE_BODY_TIMEOUT_MS,
      ownersOf: (response) => {
        const workspace = LARGE_BODY_BYTES_PER_WORKSPACE;
        return requestOwners(response, { ...ofCaller(LARGE_BODY_BYTES_PER_CALLER), workspace });
      },
    },
  };
}

const growingBodyOf = (response: Response) => response.locals['body'] as GrowingBody | undefined;
export const bodyOf = (response: Response): Buffer | undefined => growingBodyOf(response)?.bytes;
/** Releases the memory of a body that its service has received, or that has no further use. */
export const releaseBody = (response: Response): void => growingBodyOf(response)?.release();

/**
 * Reads the whole body before the request counts as in flight to its service: a slow or stalled client holds only its
 * connection and the bytes it has sent, for a limited time.
 */
export function readBody({ bodies }: { bodies: BodyBudgets }, route: RouteDefinition): RequestHandler {
  const limit = bodyLimitOf(route);
  const { bytes, timeoutMs, ownersOf } = limit > LARGE_BODY_BYTES ? bodies.large : bodies.small;
  return async (request, response, next) => {
    // The client disconnected during authorization: no later event would release the body.
    if (response.destroyed) return;
    // The client waits for 100 Continue before it sends its body.
    if (request.headers.expect !== undefined) response.writeContinue();
    if (!hasBody(request)) return next();
    const body = new GrowingBody(limit, bytes, { owners: ownersOf(response), isOfUser: hasUser(response) });
    response.locals['body'] = body;
    response.once('close', () => body.release());
    if (await receiveBody(request, body, timeoutMs)) next();
  };
}

export function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** @returns false when the client has disconnected and cannot get a response */
function receiveBody(request: Request, body: GrowingBody, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timeout);
      request.off('data', append).off('end', complete).off('close', abandon).off('error', abandon);
      // An aborted request may emit an error later.
      request.on('error', () => undefined);
      settle();
    };
    const fail = (error: Error) => {
      end(() => reject(error));
      // After the response, `discardUnread` reads the rest: many clients read the response only after they have sent all.
      request.pause();
    };
    const append = (chunk: Buffer) => {
      try {
        body.append(chunk);
      } catch (error) {
        fail(error as Error);
      }
    };
    const complete = () => end(() => resolve(true));
    const abandon = () => end(() => resolve(false));
    const timeout = setTimeout(() => fail(overdue()), timeoutMs);
    request.on('data', append).once('end', complete).once('close', abandon).once('error', abandon);
  });
}

/** Collects the bytes in one buffer: a list of one-byte chunks would take a hundred times as much memory. */
class GrowingBody {
  private buffer = Buffer.alloc(0);
  private length = 0;
  private isReleased = false;

  constructor(
    private readonly limit: number,
    private readonly budget: Budget,
    private readonly caller: { owners: BudgetOwner[]; isOfUser: boolean },
  ) {}

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /**
   * @throws AppError `payload_too_large`; `service_unavailable` over the budget of the user, the workspace or all callers;
   * `rate_limit_exceeded` over the budget of an address without a user
   */
  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    if (length > this.limit) throw tooLarge(this.limit);
    if (length > this.buffer.length) this.grow(Math.max(FIRST_BYTES, length, 2 * this.buffer.length));
    chunk.copy(this.buffer, this.length);
    this.length = length;
  }

  release(): void {
    if (!this.isReleased) this.budget.releaseAmount(this.caller.owners, this.buffer.length);
    this.isReleased = true;
    this.buffer = Buffer.alloc(0);
    this.length = 0;
  }

  private grow(wanted: number): void {
    const size = Math.min(wanted, Math.max(this.limit, FIRST_BYTES));
    const { owners, isOfUser } = this.caller;
    const outcome = this.isReleased ? 'full' : this.budget.tryReserve(owners, size - this.buffer.length);
    if (outcome !== 'reserved') throw outcome === 'full' || isOfUser ? overBudget() : overAddressBudget();
    const grown = Buffer.allocUnsafeSlow(size);
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}
