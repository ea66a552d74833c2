import type { Response } from 'express';
import type { Identity } from '@waymark/contract/identity';
import { holdersOfAddress, type Holder } from '../limits/shares.js';

export const identityOf = (response: Response): Identity => response.locals['identity'] as Identity;

/** Returns the holders whose share a request takes: its user, or the networks of its address when it has no user. */
export function callersHolders(response: Response, max: { user: number; address: number }): Holder[] {
  const { actor, ip_address: address } = identityOf(response);
  return actor.id === null
    ? holdersOfAddress(address ?? '', max.address)
    : [{ key: `user ${actor.id}`, max: max.user }];
}
