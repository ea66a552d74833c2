import type { Response } from 'express';
import type { Identity } from '@waymark/contract/identity';
import { networksOf } from '@waymark/kernel/http/networks';
import { ownersOfAddress, type BudgetOwner } from '../limits/budget.js';

export const identityOf = (response: Response): Identity => response.locals['identity'] as Identity;

/** Returns the owners whose part of a budget a request takes: its user, or the networks of its address when it has no user. */
export function callerOwners(response: Response, max: { user: number; address: number }): BudgetOwner[] {
  const { actor, ip_address: address } = identityOf(response);
  return actor.id === null ? ownersOfAddress(address ?? '', max.address) : [{ key: `user ${actor.id}`, max: max.user }];
}

/** Returns the caller's owners and the workspace of the request, if it has one. */
export function requestOwners(
  response: Response,
  { workspace: workspaceMax, ...callerMax }: { user: number; address: number; workspace: number },
): BudgetOwner[] {
  const callers = callerOwners(response, callerMax);
  const { workspace } = identityOf(response);
  return workspace === null ? callers : [...callers, { key: `workspace ${workspace.slug}`, max: workspaceMax }];
}

/** Returns the name of a caller: a user, or the widest network of an address without a user. */
export function callerName(response: Response): string {
  const { actor, ip_address: address } = identityOf(response);
  return actor.id ?? networksOf(address ?? '').at(-1)!.name;
}
