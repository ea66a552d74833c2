import { acceptInvitation, declineInvitation } from '../../api/members.js';
import { navigate } from '../../app/router.js';
import { loadSession, user, type User } from '../../app/session.js';
import { pageHeading } from '../../components/focus.js';
import { Row } from '../../components/list.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { formatDay } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.members;
type OwnInvitation = User['invitations'][number];

/** Invitations to the address of the user, wherever the user is. */
export default function OwnInvitations() {
  const invitations = user.value?.invitations ?? [];
  if (invitations.length === 0) return null;
  return (
    <section class="panel" id="invitations">
      <div class="panel-head">
        <h2>{words.yours}</h2>
      </div>
      <ul class="rows">
        {invitations.map((invitation) => (
          <OwnInvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </section>
  );
}

function OwnInvitationRow({
  invitation: { id, workspace, role, invited_by, expires_at },
}: {
  invitation: OwnInvitation;
}) {
  const accept = useTask(async () => {
    const accepted = await acceptInvitation(id);
    await loadSession();
    navigate(`/console/w/${accepted.workspace.slug}/links`);
  });
  const decline = useTask(async () => {
    await declineInvitation(id);
    const others = user.value!.invitations.filter((other) => other.id !== id);
    user.value = { ...user.value!, invitations: others };
    pageHeading()?.focus();
  });
  return (
    <Row
      title={
        <>
          {workspace.name}
          <span class="badge">{t.roles[role]}</span>
        </>
      }
      text={words.invitedBy(invited_by.name)}
      facts={words.expires(formatDay(expires_at))}
      actions={
        <>
          <button
            type="button"
            class="button small primary"
            aria-label={words.acceptOf(workspace.name)}
            onClick={() => void accept.start()}
          >
            {words.accept}
          </button>
          <button
            type="button"
            class="button small"
            aria-label={words.declineOf(workspace.name)}
            onClick={() => void decline.start()}
          >
            {words.decline}
          </button>
        </>
      }
    >
      <FailureNotice failure={accept.failure ?? decline.failure} />
    </Row>
  );
}
