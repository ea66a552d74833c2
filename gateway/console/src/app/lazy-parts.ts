import { lazy } from '../components/lazy.js';

export const CreateWorkspace = lazy(() => import('./create-workspace.js'));
export const OwnInvitations = lazy(() => import('../pages/members/own-invitations.js'));
