import type { EventContext } from '@waymark/shared/contract/event';
import { memberAdded, memberRoleChanged } from '@waymark/shared/contract/events';
import type { Role } from '@waymark/shared/contract/roles';
import type { AuthContext } from '../context.js';
import type { User } from '../users/store.js';

/** Makes the user a member, or gives the member another role; holds from the next request on. */
export async function setMember(
  ctx: Pick<AuthContext, 'db' | 'workspaces'>,
  event: EventContext,
  slug: string,
  user: User,
  role: Role,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const before = await ctx.workspaces.setMember(slug, user._id, role, tx.session);
    if (before === role) return;
    const definition = before === undefined ? memberAdded : memberRoleChanged;
    tx.emit(
      definition.create(
        { ...event, workspace: slug },
        { user_id: user._id, email: user.email, role },
        {
          target: { type: 'user', id: user._id, label: user.email },
          changes: { role: { from: before ?? null, to: role } },
        },
      ),
    );
  });
}
