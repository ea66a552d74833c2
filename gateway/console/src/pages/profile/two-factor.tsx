import { useState } from 'preact/hooks';
import { confirmTotp, disableTotp, startTotp, type TotpSetup } from '../../api/account.js';
import { factorNeededIn, loadSession, user } from '../../app/session.js';
import { Copyable } from '../../components/copyable.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { Icon } from '../../components/icon.js';
import { QrCode } from '../../components/qr-code.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { t } from '../../messages/messages.js';

const words = t.profile;

export function TwoFactor() {
  const [setup, setSetup] = useState<TotpSetup>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [isDisabling, setDisabling] = useState(false);
  const begin = useTask(async () => setSetup(await startTotp()));
  const isEnabled = user.value!.totp_enabled;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.totp}</h2>
      </div>
      <div class="panel-body">
        <div class="form">
          <p>{isEnabled ? words.totpOn : words.totpOff}</p>
          <FailureNotice failure={begin.failure} />
          <footer>
            {isEnabled ? (
              <button type="button" class="button" onClick={() => setDisabling(true)}>
                {words.disable}
              </button>
            ) : (
              <button type="button" class="button" onClick={() => void begin.start()}>
                <Icon name="lock" />
                {words.enable}
              </button>
            )}
          </footer>
        </div>
      </div>
      {setup && (
        <SetUp
          setup={setup}
          onClose={() => setSetup(undefined)}
          onConfirmed={(recoveryCodes) => {
            setSetup(undefined);
            setCodes(recoveryCodes);
          }}
        />
      )}
      {codes && (
        <SecretDialog
          title={words.recoveryTitle}
          text={words.recoveryText}
          label={words.recoveryCodes}
          secrets={codes}
          onClose={() => setCodes(undefined)}
        />
      )}
      {isDisabling && <Disable onClose={() => setDisabling(false)} />}
    </section>
  );
}

interface SetUpProps {
  setup: TotpSetup;
  onClose: () => void;
  onConfirmed: (recoveryCodes: readonly string[]) => void;
}

function SetUp({ setup, onClose, onConfirmed }: SetUpProps) {
  const task = useTask(async ({ code }: Fields) => {
    onConfirmed(await confirmTotp(code!.replaceAll(' ', '')));
    factorNeededIn.value = '';
    await loadSession();
  });
  return (
    <FormDialog title={words.setUp} fields={['code']} task={task} submit={words.confirm} onClose={onClose}>
      <p>{words.step}</p>
      <QrCode text={setup.otpauth_url} label={words.totpQrCode} />
      <p>
        <a href={setup.otpauth_url}>{words.openApp}</a>
      </p>
      <Copyable label={words.secret} text={setup.secret} />
      <Field
        label={words.code}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={64}
        data-focus
        problem={task.failure?.of('code')}
      />
    </FormDialog>
  );
}

function Disable({ onClose }: { onClose: () => void }) {
  const task = useTask(async ({ password }: Fields) => {
    await disableTotp(password!);
    await loadSession();
    onClose();
    showToast({ text: words.disabled });
  });
  return (
    <FormDialog
      title={words.disableTitle}
      fields={['password']}
      task={task}
      submit={words.disable}
      isDanger
      onClose={onClose}
    >
      <p>{words.disableText}</p>
      <Field
        label={words.currentPassword}
        name="password"
        type="password"
        autoComplete="current-password"
        problem={task.failure?.of('password')}
      />
    </FormDialog>
  );
}
