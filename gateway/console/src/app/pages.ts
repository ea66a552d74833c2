import type { ComponentType } from 'preact';

type Load = () => Promise<{ default: ComponentType }>;

/** The pages of a workspace by the first segment of their path; `links/<id>` is the page `link`. */
export const PAGES: Record<string, Load> = {
  links: () => import('../pages/links/links-page.js'),
  link: () => import('../pages/link/link-page.js'),
};
