import { h, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../api/failure.js';
import { useLoad } from '../app/load.js';
import { isPage } from '../app/page-names.js';
import { passwordQuestion } from '../app/reauthentication.js';
import { BASE, navigate, segments } from '../app/router.js';
import { factorNeededIn, has, isEnded, loadSession, membership, pageOf, sessionFailure, user } from '../app/session.js';
import { areShown } from '../app/shortcuts.js';
import { BrokenPage, PagePart } from '../components/boundary.js';
import { LoadNotice } from '../components/notice.js';
import { Page } from '../components/page.js';
import { t } from '../messages/messages.js';
import { pageAskedFor } from '../pages/sign-in/page-asked-for.js';
import { SignIn } from '../pages/sign-in/sign-in.js';
import { ConfirmPassword, NoWorkspace, OwnInvitations, SecondFactorNeeded, ShortcutsDialog } from './lazy-parts.js';
import { PAGES } from './pages.js';
import { UnsavedDialog } from './unsaved-dialog.js';
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
        {segments.value[2] === 'links' && user.value.invitations.length > 0 && <OwnInvitations />}
        <CurrentPage />
        {passwordQuestion.value && <ConfirmPassword settle={passwordQuestion.value} />}
      </Shell>
      <UnsavedDialog />
      {areShown.value && <ShortcutsDialog />}
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

type Load = () => Promise<{ default: ComponentType }>;

const loaded = new Map<Load, ComponentType>();

function LazyPage({ load }: { load: Load }) {
  // A page that was just loaded stays in its place: another one would lose what it holds.
  const [known] = useState(() => loaded.get(load));
  return <PagePart>{known ? h(known, null) : <LoadingPage load={load} />}</PagePart>;
}

/** Loads the script of a page that was not visited before, again and again while the server cannot be reached. */
function LoadingPage({ load }: { load: Load }) {
  const { state } = useLoad('page', async () => {
    const page = await load().catch(explain);
    loaded.set(load, page.default);
    return page.default;
  });
  const { data: Loaded, failure } = state.value;
  if (Loaded) return <Loaded />;
  if (!failure) return null;
  return failure.isTemporary ? (
    <Page title={t.broken.notLoaded}>
      <LoadNotice loaded={state.value} />
    </Page>
  ) : (
    <BrokenPage />
  );
}

/** A server that answers no longer has the script, or the browser keeps its failure: only another page helps. */
async function explain(error: unknown): Promise<never> {
  if (await isReachable()) throw error;
  throw new Failure();
}

const isReachable = (): Promise<boolean> =>
  fetch(BASE, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

function NotFound() {
  return (
    <Page title={t.notFound.title}>
      <p>
        {t.notFound.text} <a href="/console">{t.notFound.home}</a>
      </p>
    </Page>
  );
}
