import type { ComponentType } from 'preact';
import type { PageName } from './page-names.js';

type Load = () => Promise<{ default: ComponentType }>;

/** Each page is loaded when it is visited. */
export const PAGES: Record<PageName, Load> = {
  links: () => import('../pages/links/links-page.js'),
  link: () => import('../pages/link/link-page.js'),
};
