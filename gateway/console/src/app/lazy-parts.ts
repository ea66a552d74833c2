import { lazy } from '../components/lazy.js';

export const CreateWorkspace = lazy(() => import('./create-workspace.js'));
export const ShortcutsDialog = lazy(() => import('../pages/shortcuts/shortcuts-dialog.js'));
export const OwnInvitations = lazy(() => import('../pages/members/own-invitations.js'));
