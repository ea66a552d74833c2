import type { Database } from '@waymark/kernel/mongo/database';
import {
  findIds,
  removeOfWorkspace,
  redactOutboxEvents,
  removeOutboxEvents,
  removeWhere,
  type ErasureStep,
  type ErasureSteps,
} from '@waymark/kernel/erasure/erasure-steps';
import { literalPattern } from '@waymark/kernel/mongo/literal-pattern';

/**
 * Repeats the removals of the deletion itself: a request that began before it may have stored more. Rate limits by the id
 * of a user are left to expire within a day.
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
      ...['memberships', 'tokens', 'sessions', 'known_addresses', 'external_identities'].map((name) =>
        removeWhere(db, name, (userId) => ({ userId })),
      ),
      removeWhere(db, 'one_time_links', (subject) => ({ subject })),
      removeInvitations(db, (userId, email) => ({
        $or: [{ invitedBy: userId }, ...(email === undefined ? [] : [{ emailKey: email }])],
      })),
      removeMails(db),
      // The first answers to requests that added the user to a workspace.
      removeWhere(db, 'idempotency_keys', (userId) => ({ reply: { $regex: userId } })),
      redactOutboxEvents(db),
    ],
  };
}

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

/** Removes mails that wait to be sent to the user. */
function removeMails(db: Database): ErasureStep {
  return {
    name: 'mails',
    eraseBatch: async (userId, limit, email) => {
      if (email === undefined) return 0;
      const subject = { $regex: `^${literalPattern(email)}$`, $options: 'i' };
      const toUser = () => ({ kind: 'password_reset', subject });
      return removeWhere(db, 'mails', toUser).eraseBatch(userId, limit);
    },
  };
}
