import { notAllowedBy } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { noContent } from '@waymark/kernel/http/reply';
import { checkRecentSignIn } from '../sign-in/sessions/recent-sign-in.js';
import type { SessionStore } from '../sign-in/sessions/session-store.js';
import type { PresentWorkspace } from '../workspaces/routes.js';
import type { Workspace } from '../workspaces/workspace-store.js';
import type { ErasureContext } from './context.js';
import { deleteWorkspace } from './delete-workspace.js';

export function erasureHandlers(
  ctx: ErasureContext & { sessions: Pick<SessionStore, 'findSession'> },
  present: PresentWorkspace,
): Pick<Handlers<'auth'>, 'workspaces.delete'> {
  return {
    'workspaces.delete': async ({ body, workspace, identity, condition }) => {
      await checkRecentSignIn(ctx, identity.session_id);
      const { slug, role } = workspace;
      if (body.confirm !== slug)
        throw invalid({ confirm: [notAllowedBy('confirm', `be ${slug}, the slug of the workspace`, [slug])] });
      // As with a change of the name: `If-Match` does not compare the usage.
      const check = condition((current: Workspace) => ({ ...present(current, role), usage: null }));
      await deleteWorkspace(ctx, { slug, orderedBy: identity.actor.id, check });
      return noContent();
    },
  };
}
