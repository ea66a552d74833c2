import type { ComponentType } from 'preact';
import type { PageName } from '../app/page-names.js';
import LinksPage from '../pages/links/links-page.js';

type Load = () => Promise<{ default: ComponentType }>;

/** All pages but the first one are loaded when they are visited. */
export const PAGES: Record<PageName, Load> = {
  links: () => Promise.resolve({ default: LinksPage }),
  link: () => import('../pages/link/link-page.js'),
  analytics: () => import('../pages/analytics/analytics-page.js'),
  folders: () => import('../pages/organise/folders-page.js'),
  import: () => import('../pages/import/import-page.js'),
  tokens: () => import('../pages/tokens/tokens-page.js'),
  webhooks: () => import('../pages/webhooks/webhooks-page.js'),
  domains: () => import('../pages/domains/domains-page.js'),
  members: () => import('../pages/members/members-page.js'),
  audit: () => import('../pages/audit/audit-page.js'),
  settings: () => import('../pages/settings/settings-page.js'),
  help: () => import('../pages/help/help-page.js'),
  profile: () => import('../pages/profile/profile-page.js'),
};
