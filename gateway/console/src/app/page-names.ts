/** The pages of a workspace, by the first segment of their path; `links/<id>` is the page `link`. */
const PAGE_NAMES = [
  'links',
  'link',
  'analytics',
  'folders',
  'import',
  'tokens',
  'members',
  'webhooks',
  'domains',
  'audit',
  'settings',
  'profile',
  'help',
] as const;
export type PageName = (typeof PAGE_NAMES)[number];

export const isPage = (name: string): name is PageName => (PAGE_NAMES as readonly string[]).includes(name);
