import type { Response } from 'express';
import type { Identity } from '@waymark/shared/contract/identity';
import { holdersOfAddress, type Holder } from '../limits/shares.js';

export const identityOf = (response: Response): Identity => response.locals['identity'] as Identity;

/** Whose share a request takes: the user's, or those of its networks where nobody is signed in. */
export function callersHolders(response: Response, max: { user: number; address: number }): Holder[] {
  const { actor, ip_address: address } = identityOf(response);
  return actor.id === null
    ? holdersOfAddress(address ?? '', max.address)
    : [{ key: `user ${actor.id}`, max: max.user }];
}
