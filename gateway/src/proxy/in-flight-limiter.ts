import type { Request, Response } from 'express';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import { tooManyRequests, unavailable } from '@waymark/kernel/errors';
import { abortSignalOf } from '@waymark/kernel/http/abort-signal';
import { Budget, ownersOfAddress } from '../limits/budget.js';
import { identityOf } from './budget-owners.js';

export interface InFlightLimits {
  IN_FLIGHT_PER_SERVICE: number;
  IN_FLIGHT_PER_ADDRESS: number;
  IN_FLIGHT_PER_USER: number;
  IN_FLIGHT_PER_WORKSPACE: number;
}

/**
 * Limits the pending requests to one service. Those of a user or workspace that has its part wait, reads and changes
 * apart: reads do not wait for slow changes. Those of an address without a user, which no limit on requests counts by user, are
 * refused.
 */
export class InFlightLimiter {
  private readonly workspaces: KeyedLimit;
  private readonly users: KeyedLimit;
  private readonly addresses: Budget;

  constructor(private readonly limits: InFlightLimits) {
    const { IN_FLIGHT_PER_SERVICE, IN_FLIGHT_PER_USER, IN_FLIGHT_PER_WORKSPACE } = limits;
    this.workspaces = new KeyedLimit({ total: Infinity, perKey: IN_FLIGHT_PER_WORKSPACE });
    this.users = new KeyedLimit({ total: IN_FLIGHT_PER_SERVICE, perKey: IN_FLIGHT_PER_USER });
    this.addresses = new Budget(IN_FLIGHT_PER_SERVICE);
  }

  /**
   * @returns a function that releases the permit; further calls do nothing
   * @throws AppError `service_unavailable` when the request waits too long, or too many do; `rate_limit_exceeded` when an
   * address has too many; an `AbortError` when the client has gone meanwhile
   */
  acquirePermit(request: Request, response: Response): Promise<() => void> {
    const { actor, ip_address: address, workspace } = identityOf(response);
    if (actor.id === null) return Promise.resolve(this.acquireForAddress(address ?? ''));
    const kind = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'change';
    const user = `${kind} ${actor.id}`;
    const signal = abortSignalOf(response);
    return new Promise((resolve, reject) => {
      const hold = () => new Promise<void>((release) => resolve(release));
      const holdOfUser = () => this.users.run(user, hold, signal);
      const held =
        workspace === null ? holdOfUser() : this.workspaces.run(`${kind} ${workspace.slug}`, holdOfUser, signal);
      held.catch(reject);
    });
  }

  private acquireForAddress(address: string): () => void {
    const owners = ownersOfAddress(address, this.limits.IN_FLIGHT_PER_ADDRESS);
    const outcome = this.addresses.tryReserve(owners);
    if (outcome === 'owner_full') throw tooManyRequests('Too many requests at the same time. Try again later.', 1);
    if (outcome === 'full') throw unavailable(new Error('too many requests of addresses are in flight'));
    let isHeld = true;
    return () => {
      if (isHeld) this.addresses.releaseAmount(owners);
      isHeld = false;
    };
  }
}
