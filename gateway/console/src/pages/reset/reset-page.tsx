import { useState } from 'preact/hooks';
import { requestPasswordReset, resetPassword } from '../../api/account.js';
import { linkToken } from '../../app/link-token.js';
import { CardPage } from '../../components/card-page.js';
import { Field } from '../../components/field.js';
import { Form, type Fields } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { useTask } from '../../components/task.js';
import { t } from '../../messages/messages.js';

const words = t.reset;

/** Shown without a session: asks for a link by e-mail, or for the new password when the link is opened. */
export default function ResetPage() {
  const token = linkToken();
  return (
    <CardPage>
      {token === undefined ? <RequestLink /> : <NewPassword key={token} token={token} />}
      <p class="hint">
        <a href="/console">{words.signIn}</a>
      </p>
    </CardPage>
  );
}

function RequestLink() {
  const [isSent, setSent] = useState(false);
  const task = useTask(async ({ email }: Fields) => {
    await requestPasswordReset(email!);
    setSent(true);
  });
  if (task.failure?.kind === 'missing') {
    return (
      <Page title={words.title}>
        <Notice kind="info" icon="alert" role="alert">
          {words.noMail}
        </Notice>
      </Page>
    );
  }
  return (
    <Page title={words.title}>
      {isSent ? (
        <Notice kind="ok" icon="check" role="status">
          {words.requested}
        </Notice>
      ) : (
        <Form fields={['email']} task={task} submit={words.request}>
          <p>{words.requestText}</p>
          <Field
            label={t.signIn.email}
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            problem={task.failure?.of('email')}
          />
        </Form>
      )}
    </Page>
  );
}

function NewPassword({ token }: { token: string }) {
  const [outcome, setOutcome] = useState<Awaited<ReturnType<typeof resetPassword>>>();
  const task = useTask(async ({ new_password, revoke_tokens }: Fields) => {
    const body = { token, new_password: new_password!, revoke_tokens: revoke_tokens === 'on' };
    setOutcome(await resetPassword(body));
  });
  return (
    <Page title={words.newTitle}>
      {outcome ? (
        <Notice kind="ok" icon="check" role="status">
          {words.done} {outcome.data.email_confirmed && words.confirmed}{' '}
          {outcome.meta.live_tokens > 0 && words.liveTokens(outcome.meta.live_tokens)}
        </Notice>
      ) : (
        <Form fields={['new_password']} task={task} submit={words.submit}>
          <p>{words.newText}</p>
          <Field
            label={words.newPassword}
            hint={words.passwordHint}
            name="new_password"
            type="password"
            autoComplete="new-password"
            autoFocus
            problem={task.failure?.of('new_password')}
          />
          <label class="option">
            <input type="checkbox" name="revoke_tokens" />
            {words.revokeTokens}
          </label>
        </Form>
      )}
    </Page>
  );
}
