import type { Response } from 'express';
import type { Identity } from '@waymark/shared/contract/identity';
import { networkOf } from '@waymark/shared/kernel/network-of';

export const identityOf = (response: Response): Identity => response.locals['identity'] as Identity;

/** Whose share a request takes: the user's, or that of the address where nobody is signed in. */
export function callersHolder(response: Response): { key: string; isUser: boolean } {
  const { actor, ip_address: address } = identityOf(response);
  return actor.id === null
    ? { key: `address ${networkOf(address ?? '')}`, isUser: false }
    : { key: `user ${actor.id}`, isUser: true };
}
