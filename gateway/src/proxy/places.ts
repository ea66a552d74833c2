import type { Response } from 'express';
import { unavailable, tooManyRequests } from '@waymark/kernel/errors';
import type { GatewayConfig } from '../config.js';
import { Shares, type Holder } from '../limits/shares.js';
import { callersHolders, identityOf } from './holders.js';

type Limits = Pick<
  GatewayConfig,
  'IN_FLIGHT_PER_SERVICE' | 'IN_FLIGHT_PER_ADDRESS' | 'IN_FLIGHT_PER_USER' | 'IN_FLIGHT_PER_WORKSPACE'
>;

/** Limits the pending requests to one service: in total, per caller and per workspace. */
export class Places {
  private readonly shares: Shares;

  constructor(
    private readonly service: string,
    private readonly limits: Limits,
  ) {
    this.shares = new Shares(limits.IN_FLIGHT_PER_SERVICE);
  }

  /**
   * @returns a function that releases the place; further calls do nothing
   * @throws AppError `service_unavailable` when too many requests are pending; `rate_limit_exceeded` when this caller
   * or workspace has too many
   */
  take(response: Response): () => void {
    const holders = this.holdersOf(response);
    const outcome = this.shares.tryTake(holders);
    if (outcome === 'holder_full') throw tooManyRequests('Too many requests at the same time. Try again later.', 1);
    if (outcome === 'full') throw unavailable(new Error(`${this.service} owes ${this.shares.used} answers`));
    let isHeld = true;
    return () => {
      if (isHeld) this.shares.release(holders);
      isHeld = false;
    };
  }

  private holdersOf(response: Response): Holder[] {
    const { IN_FLIGHT_PER_ADDRESS, IN_FLIGHT_PER_USER, IN_FLIGHT_PER_WORKSPACE } = this.limits;
    const callers = callersHolders(response, { user: IN_FLIGHT_PER_USER, address: IN_FLIGHT_PER_ADDRESS });
    const { workspace } = identityOf(response);
    return workspace === null
      ? callers
      : [...callers, { key: `workspace ${workspace.slug}`, max: IN_FLIGHT_PER_WORKSPACE }];
  }
}
