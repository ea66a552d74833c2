import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LoadNotice } from '../components/notice.js';
import { Page } from '../components/page.js';
import { t } from '../messages/messages.js';
import { OwnInvitations } from '../pages/members/own-invitations.js';
import { pageAskedFor } from '../pages/sign-in/page-asked-for.js';
import { SignIn } from '../pages/sign-in/sign-in.js';
import { useLoad } from './load.js';
import { CreateWorkspace } from './create-workspace.js';
import { isPage } from './page-names.js';
import { PAGES } from './pages.js';
import { navigate, segments } from './router.js';
import {
  canCreateWorkspace,
  factorNeededIn,
  has,
  isEnded,
  loadSession,
  membership,
  pageOf,
  sessionFailure,
  user,
} from './session.js';
import { ConfirmPassword } from './confirm-password.js';
import { SecondFactorNeeded } from './second-factor-needed.js';
import { Shell } from './shell.js';

export function App() {
  // Pages that also open without a session.
  if (segments.value[0] === 'invitations' && has('invitations.lookUp')) return <LazyPage load={loadInvitationPage} />;
  if (segments.value[0] === 'reset' && has('user.resetPassword')) return <LazyPage load={loadResetPage} />;
  return <SignedInApp />;
}

const loadInvitationPage = () => import('../pages/invitation/invitation-page.js');
const loadResetPage = () => import('../pages/reset/reset-page.js');

function SignedInApp() {
  const { state } = useLoad('session', async () => {
    await loadSession();
    if (sessionFailure.value) throw sessionFailure.value;
  });
  if (user.value === null) return <SignIn />;
  if (!user.value) return state.value.failure ? <LoadNotice loaded={state.value} /> : null;
  return (
    <>
      {isEnded.value && <SignIn />}
      <Shell isHidden={isEnded.value}>
        {segments.value[2] === 'links' && <OwnInvitations />}
        <CurrentPage />
        <ConfirmPassword />
      </Shell>
    </>
  );
}

function CurrentPage() {
  const [kind, slug, path = 'links', id] = segments.value;
  const name = path === 'links' && id !== undefined ? 'link' : path;
  const isHome = kind === undefined || (kind === 'w' && slug === undefined);
  const isSignIn = kind === 'sign-in';
  useEffect(() => {
    if (isSignIn) navigate(pageAskedFor(), { replace: true });
    else if (isHome && membership.value) navigate(pageOf('links'), { replace: true });
  }, [isHome, isSignIn]);
  if (user.value!.workspaces.length === 0) {
    return <NoWorkspace />;
  }
  if (isHome || isSignIn) return null;
  const load = isPage(name) ? PAGES[name] : undefined;
  if (kind !== 'w' || !membership.value || !load) return <NotFound />;
  if (factorNeededIn.value === slug && name !== 'profile') return <SecondFactorNeeded />;
  // Another workspace is another page: nothing of the first one may stay.
  return <LazyPage key={`${slug}/${name}/${id ?? ''}`} load={load} />;
}

function NoWorkspace() {
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={t.noWorkspace.title}
      actions={
        canCreateWorkspace() && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {t.newWorkspace.create}
          </button>
        )
      }
    >
      <div class="stack">
        <p>{canCreateWorkspace() ? t.noWorkspace.text : t.noWorkspace.closed}</p>
        <OwnInvitations />
      </div>
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
    </Page>
  );
}

const loaded = new Map<unknown, ComponentType>();

function LazyPage({ load }: { load: () => Promise<{ default: ComponentType }> }) {
  const [Shown, show] = useState<ComponentType | undefined>(() => loaded.get(load));
  const [isFailed, fail] = useState(false);
  useEffect(() => {
    if (Shown) return;
    load().then(
      (module) => {
        loaded.set(load, module.default);
        show(() => module.default);
      },
      () => fail(true),
    );
  }, []);
  if (isFailed) {
    return (
      <Page title={t.failure.noConnection}>
        <button type="button" class="button" onClick={() => location.reload()}>
          {t.retry}
        </button>
      </Page>
    );
  }
  return Shown ? <Shown /> : null;
}

function NotFound() {
  return (
    <Page title={t.notFound.title}>
      <p>
        {t.notFound.text} <a href="/console">{t.notFound.home}</a>
      </p>
    </Page>
  );
}
