import { networkOf } from '@waymark/kernel/limits/networks';
import { hashSecret } from '../secrets/hash-secret.js';
import type { User } from './user-store.js';

const REMEMBERED_MAX = 20;
/** So short that thousands of IPv4 addresses have the same mark: it does not tell where a user was. */
const MARK_LENGTH = 3;

/** Whether the user has signed in from the network of this address. */
export const isKnownNetwork = (user: User, address: string | null): boolean =>
  user.signInNetworks?.includes(markOf(user, address)) ?? false;

/** Returns the marks of the networks from which the user has signed in last, with the one of this address. */
export function withNetwork(user: User, address: string | null): string[] {
  const mark = markOf(user, address);
  const others = (user.signInNetworks ?? []).filter((other) => other !== mark);
  return [mark, ...others].slice(0, REMEMBERED_MAX);
}

const markOf = ({ _id }: User, address: string | null): string =>
  hashSecret(`${_id} ${networkOf(address ?? '')}`).slice(0, MARK_LENGTH);
