import { useEffect, useState } from 'preact/hooks';
import { reauthenticate } from '../api/account.js';
import { hasSingleSignOn, singleSignOnAddress } from '../api/sign-in.js';
import { Field } from '../components/field.js';
import { FormDialog, useTask, type Fields } from '../components/form.js';
import { t } from '../messages/messages.js';
import { passwordQuestion } from './reauthentication.js';

const words = t.recentSignIn;

/** Asks for the password while a change needs a recent sign-in. */
export function ConfirmPassword() {
  const settle = passwordQuestion.value;
  return settle ? <Question settle={settle} /> : null;
}

function Question({ settle }: { settle: (isConfirmed: boolean) => void }) {
  const [isSingleSignOn, setSingleSignOn] = useState(false);
  useEffect(() => void hasSingleSignOn().then(setSingleSignOn), []);
  const task = useTask(async ({ password }: Fields) => {
    await reauthenticate(password!);
    settle(true);
  });
  return (
    <FormDialog
      title={words.title}
      fields={['password']}
      task={task}
      submit={words.confirm}
      onClose={() => settle(false)}
    >
      <p>{words.text}</p>
      <Field
        label={words.password}
        name="password"
        type="password"
        autoComplete="current-password"
        problem={task.failure?.of('password') && words.wrong}
      />
      {isSingleSignOn && (
        <p>
          <a href={singleSignOnAddress(location.pathname)}>{words.singleSignOn}</a>
        </p>
      )}
    </FormDialog>
  );
}
