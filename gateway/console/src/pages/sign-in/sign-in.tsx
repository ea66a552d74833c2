import { useEffect, useRef, useState } from 'preact/hooks';
import { hasSingleSignOn, singleSignOnAddress } from '../../api/sign-in.js';
import type { Failure } from '../../api/failure.js';
import { keepLinkToken } from '../../app/link-token.js';
import { query } from '../../app/router.js';
import { has, isEnded, signIn, type SignInResult } from '../../app/session.js';
import { Field, Problem } from '../../components/field.js';
import { focusAtOnce, replaceLostFocus } from '../../components/focus.js';
import { Icon, Mark } from '../../components/icon.js';
import map from '../../components/map.svg';
import { FailureText, Notice } from '../../components/notice.js';
import { t } from '../../messages/messages.js';
import { isOwnAddress, pageAskedFor } from './page-asked-for.js';

/**
 * Takes the place of every page while there is no session: after signing in, the requested page appears. Failed single
 * sign-on leads to an address of its own, with the reason and the requested page.
 */
export function SignIn() {
  const focused = useRef(document.activeElement as HTMLElement | null);
  useEffect(() => {
    const { title } = document;
    document.title = `${t.signIn.title} · ${t.app}`;
    // The page that was kept shows its title again, and the focus returns.
    return () => {
      document.title = title;
      requestAnimationFrame(() => replaceLostFocus(focused.current));
    };
  }, []);
  return (
    <div class="sign-in">
      <main class="card">
        <div class="brand">
          <Mark />
          <span>{t.app}</span>
        </div>
        <SignInForm />
        <p class="hint">{t.signIn.invited}</p>
      </main>
      <img class="map" src={map} alt="" />
    </div>
  );
}

function SignInForm() {
  const [result, setResult] = useState<SignInResult>();
  const [isBusy, setBusy] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const [singleSignOn, showSingleSignOn] = useState(false);
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => void hasSingleSignOn().then(showSingleSignOn), []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => (fields.get(name) as string | null) ?? '';
    const answer = await signIn({ email: text('email').trim(), password: text('password'), ...codeOf(text('code')) });
    setBusy(false);
    if (answer === 'signed-in') return;
    setResult(answer === 'code-needed' && !needsCode ? undefined : answer);
    if (answer === 'code-needed') setNeedsCode(true);
    if (answer === 'wrong') password.current?.focus();
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <div>
        <h1 tabIndex={-1}>{t.signIn.title}</h1>
        <p class="muted">{isEnded.value ? t.signIn.ended : t.signIn.continue(location.host)}</p>
      </div>
      <SingleSignOnFailure />
      <Field label={t.signIn.email} name="email" type="email" autoComplete="username" inputRef={focusAtOnce} required />
      <PasswordField inputRef={password} problem={result === 'wrong' ? t.signIn.wrong : undefined} />
      {needsCode && (
        <Field
          label={t.signIn.code}
          hint={t.signIn.codeHint}
          name="code"
          autoComplete="one-time-code"
          inputRef={focusAtOnce}
          problem={result === 'code-needed' ? t.signIn.wrongCode : undefined}
        />
      )}
      <Outcome result={result} />
      <button class="button primary" type="submit" aria-disabled={isBusy}>
        {t.signIn.submit}
      </button>
      {has('user.requestPasswordReset') && (
        <p class="hint">
          <a href="/console/reset">{t.reset.forgot}</a>
        </p>
      )}
      {singleSignOn && (
        <>
          <div class="or">{t.signIn.or}</div>
          <a class="button" href={singleSignOnAddress(pageAskedFor())} onClick={keepLinkToken}>
            <Icon name="key" />
            {t.signIn.sso}
          </a>
        </>
      )}
    </form>
  );
}

/** Says why single sign-on failed; an unknown reason is as good as none. */
function SingleSignOnFailure() {
  const reason = isOwnAddress() ? query.value.get('error') : null;
  if (reason === null) return null;
  const texts: Record<string, string> = t.signIn.ssoFailures;
  return (
    <Notice kind="danger" icon="alert" role="alert">
      {(Object.hasOwn(texts, reason) && texts[reason]) || t.signIn.ssoFailures.failed}
    </Notice>
  );
}

/** Six digits are a code of the app; anything else is a recovery code. */
function codeOf(code: string): { totp_code?: string; recovery_code?: string } {
  const trimmed = code.replaceAll(' ', '');
  if (trimmed === '') return {};
  return /^\d{6}$/.test(trimmed) ? { totp_code: trimmed } : { recovery_code: trimmed };
}

function PasswordField({ inputRef, problem }: { inputRef: { current: HTMLInputElement | null }; problem?: string }) {
  const [isVisible, setVisible] = useState(false);
  return (
    <div class="password">
      <Field
        label={t.signIn.password}
        name="password"
        type={isVisible ? 'text' : 'password'}
        autoComplete="current-password"
        required
        inputRef={inputRef}
        problem={problem}
      >
        <button type="button" aria-pressed={isVisible} onClick={() => setVisible(!isVisible)}>
          {isVisible ? t.signIn.hide : t.signIn.show}
        </button>
      </Field>
    </div>
  );
}

function Outcome({ result }: { result: SignInResult | undefined }) {
  if (result === 'cookie-not-kept') {
    return (
      <Notice kind="warn" icon="warning" role="alert">
        {t.signIn.cookie}
      </Notice>
    );
  }
  if (typeof result !== 'object') return null;
  return <div role="alert">{<Problem text={textOf(result)} />}</div>;
}

/** The first problem of a field, or the reason for the whole request. */
const textOf = (failure: Failure) => failure.of('email') ?? failure.of('password') ?? <FailureText failure={failure} />;
