import type { Response } from 'express';
import { unavailable, tooManyRequests } from '@waymark/kernel/errors';
import { Budget, type BudgetOwner } from '../limits/budget.js';
import { requestOwners } from './budget-owners.js';

export interface InFlightLimits {
  IN_FLIGHT_PER_SERVICE: number;
  IN_FLIGHT_PER_ADDRESS: number;
  IN_FLIGHT_PER_USER: number;
  IN_FLIGHT_PER_WORKSPACE: number;
}

/** Limits the pending requests to one service: in total, per caller and per workspace. */
export class InFlightLimiter {
  private readonly budget: Budget;

  constructor(
    private readonly service: string,
    private readonly limits: InFlightLimits,
  ) {
    this.budget = new Budget(limits.IN_FLIGHT_PER_SERVICE);
  }

  /**
   * @returns a function that releases the permit; further calls do nothing
   * @throws AppError `service_unavailable` when too many requests are pending; `rate_limit_exceeded` when this caller
   * or workspace has too many
   */
  acquirePermit(response: Response): () => void {
    const owners = this.ownersOf(response);
    const outcome = this.budget.tryReserve(owners);
    if (outcome === 'owner_full') throw tooManyRequests('Too many requests at the same time. Try again later.', 1);
    if (outcome === 'full')
      throw unavailable(new Error(`${this.service} has ${this.budget.reservedAmount} requests in flight`));
    let isHeld = true;
    return () => {
      if (isHeld) this.budget.releaseAmount(owners);
      isHeld = false;
    };
  }

  private ownersOf(response: Response): BudgetOwner[] {
    const { IN_FLIGHT_PER_ADDRESS, IN_FLIGHT_PER_USER, IN_FLIGHT_PER_WORKSPACE } = this.limits;
    return requestOwners(response, {
      user: IN_FLIGHT_PER_USER,
      address: IN_FLIGHT_PER_ADDRESS,
      workspace: IN_FLIGHT_PER_WORKSPACE,
    });
  }
}
