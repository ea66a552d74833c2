import { lazy } from '../components/lazy.js';

export const CreateWorkspace = lazy(() => import('./create-workspace.js'));
export const ConfirmPassword = lazy(() => import('./confirm-password.js'));
export const SecondFactorNeeded = lazy(() => import('./second-factor-needed.js'));
export const NoWorkspace = lazy(() => import('./no-workspace.js'));
export const ShortcutsDialog = lazy(() => import('../pages/shortcuts/shortcuts-dialog.js'));
export const OwnInvitations = lazy(() => import('../pages/members/own-invitations.js'));
