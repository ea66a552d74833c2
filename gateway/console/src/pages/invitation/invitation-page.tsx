import { useState } from 'preact/hooks';
import { acceptLink, showInvitation, type ShownInvitation } from '../../api/members.js';
import { useLoad } from '../../app/load.js';
import { forgetLinkToken, linkToken } from '../../app/link-token.js';
import { navigate } from '../../app/router.js';
import { loadSession, signIn, user } from '../../app/session.js';
import { CardPage } from '../../components/card-page.js';
import { Field } from '../../components/field.js';
import { Form, type Fields } from '../../components/form.js';
import { LoadNotice, Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { SignIn } from '../sign-in/sign-in.js';

const words = t.invitation;

/** Opens with and without a session: the invited person joins as the user who is signed in, or with a new account. */
export default function InvitationPage() {
  const token = linkToken() ?? '';
  const { state } = useLoad(token, () => showInvitation(token));
  const session = useLoad('session', loadSession);
  const [isSigningIn, setSigningIn] = useState(false);
  const { data: invitation, failure } = state.value;
  if (isSigningIn && user.value === null) return <SignIn />;
  const isKnown = invitation && !session.state.value.isLoading;
  return (
    <CardPage>
      <Page title={invitation ? words.title(invitation.workspace.name) : words.name} name={words.name}>
        {failure?.kind === 'missing' ? (
          <Notice kind="warn" icon="warning" role="alert">
            {words.gone}
          </Notice>
        ) : (
          failure && <LoadNotice loaded={state.value} />
        )}
        {isKnown && <Facts invitation={invitation} />}
        {isKnown &&
          (user.value ? (
            <AcceptAsUser token={token} />
          ) : invitation.allows_new_account ? (
            <AcceptAsNewUser key={token} token={token} email={invitation.email} onSignIn={() => setSigningIn(true)} />
          ) : (
            <AccountNeeded onSignIn={() => setSigningIn(true)} />
          ))}
      </Page>
    </CardPage>
  );
}

function Facts({ invitation: { invited_by, role, is_for_one_email, expires_at } }: { invitation: ShownInvitation }) {
  return (
    <>
      <p>{words.text(invited_by.name, t.roles[role])}</p>
      <p class="hint">
        {t.members.rights[role]} {is_for_one_email && words.forOneEmail} {words.until(formatMoment(expires_at))}
      </p>
    </>
  );
}

async function openWorkspace(slug: string): Promise<void> {
  forgetLinkToken();
  await loadSession();
  navigate(`/console/w/${slug}/links`);
}

function AcceptAsUser({ token }: { token: string }) {
  const task = useTask(async () => openWorkspace((await acceptLink(token, {})).workspace.slug));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void task.start();
      }}
    >
      <p>{words.signedInAs(user.value!.name, user.value!.email)}</p>
      <FailureNotice failure={task.failure} />
      <button type="submit" class="button primary" aria-disabled={task.isBusy}>
        {words.accept}
      </button>
    </form>
  );
}

function AccountNeeded({ onSignIn }: { onSignIn: () => void }) {
  return (
    <>
      <p>{words.accountNeeded}</p>
      <button type="button" class="button primary" onClick={onSignIn}>
        {t.signIn.submit}
      </button>
    </>
  );
}

interface NewUserProps {
  token: string;
  /** The address that the link was mailed to, which no other may replace. */
  email: string | null;
  onSignIn: () => void;
}

function AcceptAsNewUser({ token, email: invited, onSignIn }: NewUserProps) {
  const [isMember, setMember] = useState(false);
  const task = useTask(async ({ name, email, password }: Fields) => {
    const { workspace } = await acceptLink(token, { name: name!, email: email!, password: password! });
    // The account exists from here on, even if signing in fails.
    setMember(true);
    if ((await signIn({ email: email!, password: password! })) === 'signed-in') await openWorkspace(workspace.slug);
  });
  if (isMember) {
    return (
      <Notice kind="ok" icon="check" role="status">
        {words.done} <a href="/console">{t.signIn.submit}</a>
      </Notice>
    );
  }
  return (
    <>
      <p>
        {words.haveAccount}{' '}
        <button type="button" class="link-button" onClick={onSignIn}>
          {words.signInFirst}
        </button>
      </p>
      <Form fields={['name', 'email', 'password']} task={task} submit={words.createAccount}>
        <Field
          label={t.profile.name}
          name="name"
          maxLength={100}
          autoComplete="name"
          problem={task.failure?.of('name')}
        />
        <Field
          label={t.signIn.email}
          name="email"
          type="email"
          autoComplete="username"
          defaultValue={invited ?? undefined}
          readOnly={invited !== null}
          problem={task.failure?.of('email')}
        />
        <Field
          label={t.signIn.password}
          hint={t.reset.passwordHint}
          name="password"
          type="password"
          autoComplete="new-password"
          problem={task.failure?.of('password')}
        />
      </Form>
    </>
  );
}
