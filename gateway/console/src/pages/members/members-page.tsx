import { useState } from 'preact/hooks';
import { changeRole, listMembers, removeMember, type Member } from '../../api/members.js';
import { leaveWorkspace } from '../../api/workspaces.js';
import { useLoad } from '../../app/load.js';
import { can, loadSession, role as ownRole, reloadConsole, user, workspace } from '../../app/session.js';
import { Confirm } from '../../components/dialog.js';
import { ListPanel, Row } from '../../components/list.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { formatDay } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { Invitations } from './invitations.js';
import { RoleDialog } from './role-dialog.js';

const words = t.members;
type Asked = { what: 'role' | 'remove' | 'leave'; member: Member };

export default function MembersPage() {
  const { state, reload } = useLoad(workspace.value, () => listMembers(workspace.value));
  const [isInviting, setInviting] = useState(false);
  const [asked, ask] = useState<Asked>();
  const isLoaded = Boolean(state.value.data ?? state.value.failure);
  const close = () => ask(undefined);
  const remove = useTask(async (member: Member) => {
    await removeMember(workspace.value, member.user.id);
    showToast({ text: words.removed(member.user.name) });
    await reload(true);
  });
  const leave = useTask(async () => {
    await leaveWorkspace(workspace.value);
    reloadConsole();
  });
  return (
    <Page
      title={words.title}
      actions={
        can('invitations.create') && (
          <button type="button" class="button primary" onClick={() => setInviting(true)}>
            {words.invite}
          </button>
        )
      }
    >
      <div class="stack">
        <FailureNotice failure={remove.failure ?? leave.failure} />
        <ListPanel
          title={words.list}
          loaded={state.value}
          empty={t.none}
          row={(member) => <MemberRow key={member.user.id} member={member} ask={(what) => ask({ what, member })} />}
        />
        {/* Below a list of unknown length it would move. */}
        {can('invitations.list') && isLoaded && (
          <Invitations isInviting={isInviting} onClose={() => setInviting(false)} />
        )}
      </div>
      {asked?.what === 'role' && (
        <RoleDialog
          name={asked.member.user.name}
          role={asked.member.role}
          save={async (role) => {
            await changeRole(workspace.value, asked.member.user.id, role);
            // The pages and actions of the console depend on the user's own role.
            if (asked.member.user.id === user.value?.id) await loadSession();
            await reload(true);
          }}
          onClose={close}
        />
      )}
      {asked?.what === 'remove' && (
        <Confirm
          title={words.removeTitle(asked.member.user.name)}
          body={words.removeText}
          yes={words.remove}
          no={t.cancel}
          onConfirm={() => void remove.start(asked.member)}
          onClose={close}
        />
      )}
      {asked?.what === 'leave' && (
        <Confirm
          title={words.leaveTitle}
          body={words.leaveText}
          yes={words.leave}
          no={t.cancel}
          onConfirm={() => void leave.start()}
          onClose={close}
        />
      )}
    </Page>
  );
}

function MemberRow({ member, ask }: { member: Member; ask: (what: Asked['what']) => void }) {
  const { user: person, role, created_at } = member;
  const isSelf = person.id === user.value?.id;
  // Only an owner changes or removes an owner.
  const isInReach = role !== 'owner' || ownRole.value === 'owner';
  return (
    <Row
      title={
        <>
          {person.name}
          <span class="badge">{t.roles[role]}</span>
          {isSelf && <span class="badge ok">{words.you}</span>}
        </>
      }
      text={person.email}
      facts={words.since(formatDay(created_at))}
      actions={
        <>
          {can('members.update') && isInReach && (
            <button
              type="button"
              class="button small"
              aria-label={words.changeRoleOf(person.name)}
              onClick={() => ask('role')}
            >
              {words.changeRole}
            </button>
          )}
          {isSelf
            ? can('members.leave') && (
                <button type="button" class="button small" onClick={() => ask('leave')}>
                  {words.leave}
                </button>
              )
            : can('members.remove') &&
              isInReach && (
                <button
                  type="button"
                  class="button small"
                  aria-label={words.removeOf(person.name)}
                  onClick={() => ask('remove')}
                >
                  {words.remove}
                </button>
              )}
        </>
      }
    />
  );
}
