import { useEffect, useState } from 'preact/hooks';
import { reauthenticate } from '../api/account.js';
import { hasSingleSignOn, singleSignOnAddress } from '../api/sign-in.js';
import { Field } from '../components/field.js';
import { FormDialog, type Fields } from '../components/form.js';
import { useTask } from '../components/task.js';
import { t } from '../messages/messages.js';

const words = t.recentSignIn;

/** Asks for the password, which a change needs while the sign-in is not recent. */
export default function ConfirmPassword({ settle }: { settle: (isConfirmed: boolean) => void }) {
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
