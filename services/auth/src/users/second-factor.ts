import type { User } from './user-store.js';

/** How a caller has signed in: `null` for a caller with a token. */
type SignIn = { isByProvider?: boolean } | null;

/** Finds the users who have signed in with the identity provider of the installation. */
export interface LinkedUsers {
  findLinkedUsers(userIds: string[]): Promise<ReadonlySet<string>>;
}

/**
 * Whether a caller has a second factor. An identity provider counts as one, as it asks for its own: in a session that
 * began there, and for the tokens of a user who has signed in there.
 */
export const hasSecondFactor = ({ totp }: Pick<User, 'totp'>, signIn: SignIn, isLinked: boolean): boolean =>
  totp !== undefined || (signIn ? signIn.isByProvider === true : isLinked);
