import type { EventContext } from '@waymark/contract/event';
import { userPasswordResetRequested } from '@waymark/contract/events';
import type { Transaction } from '@waymark/kernel/mongo/database';
import type { IssuedLink, OneTimeLinkStore } from '../../secrets/one-time-link-store.js';
import type { User } from '../../users/user-store.js';

/** Issues a link that resets a user's password; `isMailed`: the user's mail alone gets it. Call it in a transaction. */
export async function issueResetLink(
  links: OneTimeLinkStore,
  { user, workspaces, event, isMailed }: { user: User; workspaces: string[]; event: EventContext; isMailed: boolean },
  tx: Transaction,
): Promise<IssuedLink> {
  const target = { type: 'user', id: user._id, label: user.email };
  const data = { user_id: user._id, email: user.email, workspaces };
  tx.emit(userPasswordResetRequested.create(event, data, { target, changes: {} }));
  return links.issueLink({ kind: 'password_reset', subject: user._id, isMailed }, tx.session);
}
