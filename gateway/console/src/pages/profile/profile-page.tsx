import { useState } from 'preact/hooks';
import { changePassword, renameUser } from '../../api/account.js';
import { loadSession, user } from '../../app/session.js';
import { Field } from '../../components/field.js';
import { Form, type Fields } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { Select } from '../../components/select.js';
import { useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { chooseLanguage, readLanguage, type LanguageChoice } from '../../config/language.js';
import { t } from '../../messages/messages.js';
import { Sessions } from './sessions.js';
import { TwoFactor } from './two-factor.js';

const words = t.profile;

export default function ProfilePage() {
  return (
    <Page title={words.title}>
      <div class="stack">
        <NamePanel />
        <LanguagePanel />
        <PasswordPanel />
        <TwoFactor />
        <Sessions />
      </div>
    </Page>
  );
}

function NamePanel() {
  const task = useTask(async ({ name }: Fields) => {
    await renameUser(name!);
    await loadSession();
    showToast({ text: t.saved });
  });
  const { name, email } = user.value!;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.you}</h2>
      </div>
      <div class="panel-body">
        <Form fields={['name']} task={task} submit={t.save}>
          <Field
            label={words.name}
            name="name"
            defaultValue={name}
            maxLength={100}
            autoComplete="name"
            problem={task.failure?.of('name')}
          />
          <Field label={words.email} value={email} readOnly />
        </Form>
      </div>
    </section>
  );
}

function LanguagePanel() {
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.language}</h2>
      </div>
      <div class="panel-body">
        <div class="form">
          <Select
            label={words.language}
            value={readLanguage()}
            options={words.languages}
            onChange={(choice) => chooseLanguage(choice as LanguageChoice)}
          />
          <p class="hint">{words.languageHint}</p>
        </div>
      </div>
    </section>
  );
}

function PasswordPanel() {
  const [liveTokens, setLiveTokens] = useState(0);
  const task = useTask(async ({ current_password, new_password, revoke_tokens }: Fields) => {
    const passwords = { current_password: current_password!, new_password: new_password! };
    setLiveTokens(await changePassword({ ...passwords, revoke_tokens: revoke_tokens === 'on' }));
    showToast({ text: words.passwordChanged });
    document.querySelector<HTMLFormElement>('#password form')?.reset();
  });
  return (
    <section class="panel" id="password">
      <div class="panel-head">
        <h2>{words.password}</h2>
      </div>
      <div class="panel-body">
        <Form fields={['current_password', 'new_password']} task={task} submit={words.changePassword}>
          <Field
            label={words.currentPassword}
            name="current_password"
            type="password"
            autoComplete="current-password"
            problem={task.failure?.of('current_password')}
          />
          <Field
            label={words.newPassword}
            hint={words.passwordHint}
            name="new_password"
            type="password"
            autoComplete="new-password"
            problem={task.failure?.of('new_password')}
          />
          <label class="option">
            <input type="checkbox" name="revoke_tokens" />
            {t.reset.revokeTokens}
          </label>
        </Form>
        {liveTokens > 0 && (
          <Notice kind="warn" icon="key" role="status">
            {t.reset.liveTokens(liveTokens)}
          </Notice>
        )}
      </div>
    </section>
  );
}
