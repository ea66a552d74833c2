import type { ComponentType } from 'preact';

type Load = () => Promise<{ default: ComponentType }>;

/** The pages of a workspace by the first segment of their path; each is loaded when it is visited. */
export const PAGES: Record<string, Load> = {
  links: () => import('../pages/links/links-page.js'),
};
