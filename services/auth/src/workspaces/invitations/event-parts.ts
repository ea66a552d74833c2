import type { Invitation } from './invitation-store.js';

/** Returns the parts that every event of an invitation has. */
export function eventPartsOf({ _id: id, email, role }: Pick<Invitation, '_id' | 'email' | 'role'>) {
  return {
    data: { invitation_id: id, email, role },
    target: { type: 'invitation', id, label: email },
  };
}
