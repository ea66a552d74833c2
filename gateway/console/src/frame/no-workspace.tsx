import { useState } from 'preact/hooks';
import { canCreateWorkspace } from '../app/session.js';
import { Page } from '../components/page.js';
import { t } from '../messages/messages.js';
import OwnInvitations from '../pages/members/own-invitations.js';
import CreateWorkspace from './create-workspace.js';

/** In place of every page, for a user who is a member of no workspace. */
export default function NoWorkspace() {
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t.noWorkspace.title}
      actions={
        canCreateWorkspace() && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {t.newWorkspace.create}
          </button>
        )
      }
    >
      <div class="stack">
        <p>{canCreateWorkspace() ? t.noWorkspace.text : t.noWorkspace.closed}</p>
        <OwnInvitations />
      </div>
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
    </Page>
  );
}
