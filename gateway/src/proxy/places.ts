import type { Response } from 'express';
import { unavailable, tooManyRequests } from '@waymark/shared/kernel/errors';
import type { GatewayConfig } from '../config.js';
import { Shares, type Holder } from '../limits/shares.js';
import { callersHolders, identityOf } from './holders.js';

type Limits = Pick<
  GatewayConfig,
  'IN_FLIGHT_PER_SERVICE' | 'IN_FLIGHT_PER_ADDRESS' | 'IN_FLIGHT_PER_USER' | 'IN_FLIGHT_PER_WORKSPACE'
>;

/** Requests that one service owes an answer: so many in all, and so many of each caller and workspace. */
export class Places {
  private readonly shares: Shares;

  constructor(
    private readonly service: string,
    private readonly limits: Limits,
  ) {
    this.shares = new Shares(limits.IN_FLIGHT_PER_SERVICE);
  }

  /**
   * @returns what releases the place; only the first call does
   * @throws AppError `service_unavailable` when the service owes too many, `rate_limit_exceeded` when this caller has too many
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
