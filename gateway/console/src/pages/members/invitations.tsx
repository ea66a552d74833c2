import { useState } from 'preact/hooks';
import { createInvitation, listInvitations, withdrawInvitation, type Invitation } from '../../api/members.js';
import { useLoad } from '../../app/load.js';
import { can, workspace } from '../../app/session.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { ListPanel, Row } from '../../components/list.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import type { Role } from '../../config/config.js';
import { formatDay } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { RoleSelect } from './role-select.js';

const words = t.members;

interface InvitationsProps {
  isInviting: boolean;
  onClose: () => void;
}

export function Invitations({ isInviting, onClose }: InvitationsProps) {
  const { state, reload } = useLoad(workspace.value, () => listInvitations(workspace.value));
  const [link, setLink] = useState<string>();
  const withdraw = useTask(async ({ id }: Invitation) => {
    await withdrawInvitation(workspace.value, id);
    showToast({ text: words.withdrawn });
    await reload(true);
  });
  return (
    <>
      <ListPanel
        title={words.invitations}
        loaded={state.value}
        empty={<p>{words.noInvitations}</p>}
        row={(invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            onWithdraw={() => void withdraw.start(invitation)}
          />
        )}
      />
      <FailureNotice failure={withdraw.failure} />
      {isInviting && (
        <InviteDialog
          onClose={onClose}
          onInvited={async (url) => {
            onClose();
            setLink(url);
            await reload(true);
          }}
        />
      )}
      {link !== undefined && (
        <SecretDialog
          title={words.linkTitle}
          text={words.linkText}
          label={words.link}
          secrets={[link]}
          onClose={() => setLink(undefined)}
        />
      )}
    </>
  );
}

function InvitationRow({ invitation, onWithdraw }: { invitation: Invitation; onWithdraw: () => void }) {
  const { email, role, invited_by, expires_at } = invitation;
  const name = email ?? words.anyone;
  return (
    <Row
      title={
        <>
          {name}
          <span class="badge">{t.roles[role]}</span>
        </>
      }
      text={words.invitedBy(invited_by.name)}
      facts={words.expires(formatDay(expires_at))}
      actions={
        can('invitations.delete') && (
          <button type="button" class="button small" aria-label={words.withdrawOf(name)} onClick={onWithdraw}>
            {words.withdraw}
          </button>
        )
      }
    />
  );
}

interface InviteProps {
  onClose: () => void;
  onInvited: (url: string) => Promise<void>;
}

function InviteDialog({ onClose, onInvited }: InviteProps) {
  const task = useTask(async ({ email, role }: Fields) => {
    await onInvited(await createInvitation(workspace.value, { email: email || null, role: role as Role }));
  });
  return (
    <FormDialog title={words.inviteTitle} fields={['email']} task={task} submit={words.create} onClose={onClose}>
      <Field
        label={words.email}
        hint={words.emailHint}
        name="email"
        type="email"
        autoComplete="off"
        data-focus
        problem={task.failure?.of('email')}
      />
      <RoleSelect role="editor" />
    </FormDialog>
  );
}
