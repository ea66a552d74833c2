import type { Database } from '@waymark/kernel/mongo/database';
import {
  findIds,
  removeOfWorkspace,
  redactOutboxEvents,
  removeOutboxEvents,
  removeWhere,
  type ErasureStep,
  type ErasureSteps,
  type RowFilter,
} from '@waymark/kernel/erasure/erasure-steps';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';
import { mailedInvitationKey } from '../workspaces/invitations/invitation-mail.js';

/**
 * Repeats the removals of the deletion itself: a request that began before it may have stored more. The log of recent
 * requests (`accepted_requests`) expires within minutes: the limiter relies on its entries.
 */
export function erasureSteps(db: Database): ErasureSteps {
  return {
    workspace: [
      removeOfWorkspace(db, 'memberships'),
      removeOfWorkspace(db, 'tokens'),
      removeInvitations(db, (workspace) => ({ workspace })),
      removeOfWorkspace(db, 'idempotency_keys'),
      removeOutboxEvents(db),
    ],
    user: [
      ...['memberships', 'tokens', 'sessions', 'external_identities'].map((name) =>
        removeWhere(db, name, (userId) => ({ userId })),
      ),
      removeWhere(db, 'one_time_links', (subject) => ({ subject })),
      removeInvitations(db, (userId, email) => ({
        $or: [{ invitedBy: userId }, ...(email === undefined ? [] : [{ emailKey: email }])],
      })),
      removeOfEmail(db, 'mails', (email) => ({
        kind: 'password_reset',
        subject: { $regex: `^${literalPattern(email)}$`, $options: 'i' },
      })),
      ...['limit_counts', 'counted_events'].map((name) => removeWhere(db, name, idsThatBeginWith)),
      removeOfEmail(db, 'limit_counts', (email) => idsThatBeginWith(mailedInvitationKey(email))),
      // The first answers to requests that added the user to a workspace.
      removeWhere(db, 'idempotency_keys', (userId) => ({ reply: { $regex: userId } })),
      redactOutboxEvents(db),
    ],
  };
}

/** Selects documents whose id is this text and another one behind a space. */
const idsThatBeginWith = (text: string): RowFilter => ({ _id: { $gt: `${text} `, $lt: `${text}!` } });

/** Removes invitations after their links and mails, which have no other way to be found. */
function removeInvitations(db: Database, filterOf: (subject: string, email?: string) => object): ErasureStep {
  return {
    name: 'invitations',
    eraseBatch: async (subject, limit, email) => {
      const ids = await findIds(db, 'invitations', { filter: filterOf(subject, email), limit });
      if (ids.length === 0) return 0;
      const ofInvitations = () => ({ kind: 'invitation', subject: { $in: ids } });
      await removeWhere(db, 'one_time_links', ofInvitations).eraseBatch(subject, limit);
      await removeWhere(db, 'mails', ofInvitations).eraseBatch(subject, limit);
      return removeWhere(db, 'invitations', () => ({ _id: { $in: ids } })).eraseBatch(subject, limit);
    },
  };
}

/** Removes the documents that match the user's e-mail address, as long as it is kept. */
function removeOfEmail(db: Database, name: string, filterOf: (email: string) => RowFilter): ErasureStep {
  return {
    name,
    eraseBatch: (userId, limit, email) =>
      email === undefined ? Promise.resolve(0) : removeWhere(db, name, () => filterOf(email)).eraseBatch(userId, limit),
  };
}
