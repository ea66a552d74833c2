import { computed, signal } from '@preact/signals';
import { WaymarkError } from '@waymark/client';
import { api, handleSecondFactorNeed, handleSessionEnd, keepCsrfToken, send, type Schemas } from '../api/client.js';
import { asFailure, Failure } from '../api/failure.js';
import { config, mayUse } from '../config/config.js';
import { segments } from './router.js';
import { discardUnsaved } from './unsaved.js';

export type User = Schemas['User'];

/** `undefined` until the server has said; `null` without a session: then the page asks to sign in and stays where it is. */
export const user = signal<User | null | undefined>(undefined);
/** The reason why nothing is known about the session. */
export const sessionFailure = signal<Failure | undefined>(undefined);
/** Whether the session of `user` ended while the page was open. A page of a workspace keeps what was typed until the user signs in again. */
export const isEnded = signal(false);

/** The slug of the workspace in the address; the user's first one anywhere else. */
export const workspace = computed(() => {
  const [kind, slug] = segments.value;
  return kind === 'w' && slug !== undefined ? slug : (user.value?.workspaces[0]?.slug ?? '');
});
export const membership = computed(() => user.value?.workspaces.find(({ slug }) => slug === workspace.value));
export const role = computed(() => membership.value?.role);

/** Whether the user's role admits the route in this workspace. */
export const can = (route: string): boolean => mayUse(role.value, route);
export const has = (route: string): boolean => route in config.routes;

/** Whether the operator lets the user create workspaces. */
export const canCreateWorkspace = (): boolean =>
  has('workspaces.create') && (user.value?.can_create_workspace ?? false);

/** Whether the user may export the audit log: by the role, and by the plan of the workspace. */
export const canExportAudit = (): boolean => can('audit_logs.export') && membership.value?.plan === 'enterprise';

/** The address of a page of the workspace. */
export const pageOf = (path: string): string => `/console/w/${workspace.value}/${path}`;

handleSessionEnd(() => {
  if (user.value) isEnded.value = true;
  if (!user.value || segments.value[0] !== 'w') user.value = null;
});

/** The workspace that requires a second factor, which the user does not have; empty if there is none. */
export const factorNeededIn = signal('');
handleSecondFactorNeed((slug) => (factorNeededIn.value = slug));

export async function loadSession(): Promise<void> {
  sessionFailure.value = undefined;
  try {
    user.value = (await send(api.GET('/api/v1/user'))).data;
  } catch (error) {
    const failure = asFailure(error);
    if (failure.kind === 'ended') user.value ??= null;
    else sessionFailure.value = failure;
  }
}

export type SignInResult = 'signed-in' | 'cookie-not-kept' | 'wrong' | 'code-needed' | Failure;

export interface Credentials {
  email: string;
  password: string;
  totp_code?: string;
  recovery_code?: string;
}

/** Signs in, and asks for the user again: over plain http a browser does not keep the session's cookie. */
export async function signIn(credentials: Credentials): Promise<SignInResult> {
  try {
    keepCsrfToken((await api.POST('/api/v1/session', { body: credentials })).data.meta.csrf_token);
  } catch (error) {
    if (!(error instanceof WaymarkError)) return asFailure(error);
    if (error.status !== 401) return new Failure(error);
    return error.details['totp_required'] ? 'code-needed' : 'wrong';
  }
  try {
    const signedIn = (await send(api.GET('/api/v1/user'))).data;
    // What the page of another user shows is not for this one.
    if (user.value && user.value.id !== signedIn.id) {
      discardUnsaved();
      location.reload();
    } else [isEnded.value, user.value] = [false, signedIn];
    return 'signed-in';
  } catch (failure) {
    return asFailure(failure).kind === 'ended' ? 'cookie-not-kept' : asFailure(failure);
  }
}

/** Drops all data that the page has read of the user or the workspace. */
export function reloadConsole(): void {
  discardUnsaved();
  location.assign('/console');
}

export async function signOut(): Promise<void> {
  await send(api.DELETE('/api/v1/session'));
  reloadConsole();
}
