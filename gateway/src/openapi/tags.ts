import type { RouteName } from '@waymark/contract/routes';

type AreaOf<N> = N extends `${infer Area}.${string}` ? Area : never;

/** The groups of operations, in the order in which a reader meets them, with what people do there. */
const DESCRIPTIONS = {
  'Users and sessions':
    'Sign in and out, and manage your own account: name, password, two-factor sign-in, sessions and invitations to you.',
  'Workspaces and members':
    'Create and set up workspaces, see what they use of their limits, invite people, and change their roles.',
  Tokens: 'Mint and revoke the personal access tokens with which programs use the API in one workspace.',
  Links:
    'Create, find, change and delete short links, one by one or many at once; import and export them; draw their QR codes.',
  'QR codes': 'Create, find, change and delete QR codes whose destination can change later, and draw their images.',
  'Folders, tags and templates':
    'Organize links in folders and by tags, and keep sets of UTM parameters that new links are given.',
  Conversions:
    'Record from your server what visitors did after they followed a link, such as a purchase, and list these records.',
  Analytics:
    'Read how often links or QR codes were scanned, by whom, where and with what result; export the scans. The summary has totals and their ' +
    'course; the counts by day have a row for each of up to 100 links; the breakdowns rank values; the list has single scans.',
  Webhooks:
    'Have your server called when something happens in the workspace; inspect and repeat the deliveries. Each request is ' +
    'signed as [Standard Webhooks](https://www.standardwebhooks.com) specifies. Answer with a 2xx within 15 s: after anything ' +
    'else it is sent again: after 5 s, 5 and 30 minutes, 2, 5, 10 and 10 hours, each a little more or less. An event may arrive more than once, and events in any order. The library ' +
    '`standardwebhooks` verifies signatures in many languages. An endpoint that has failed for 5 days is disabled.',
  'Custom domains': 'Serve links from a hostname of your own, which you prove to control by a DNS record.',
  'Audit log': 'Read, export and verify the record of who changed what in the workspace.',
  'This document': 'Fetch this description of the API, for generators of clients and for readers of documentation.',
} as const;
type Tag = keyof typeof DESCRIPTIONS;

const TAG_OF: Readonly<Record<AreaOf<RouteName>, Tag>> = {
  user: 'Users and sessions',
  session: 'Users and sessions',
  workspaces: 'Workspaces and members',
  members: 'Workspaces and members',
  invitations: 'Workspaces and members',
  tokens: 'Tokens',
  links: 'Links',
  imports: 'Links',
  qr_codes: 'QR codes',
  folders: 'Folders, tags and templates',
  tags: 'Folders, tags and templates',
  utm_templates: 'Folders, tags and templates',
  conversions: 'Conversions',
  analytics: 'Analytics',
  webhooks: 'Webhooks',
  domains: 'Custom domains',
  audit_logs: 'Audit log',
  openapi: 'This document',
};

export const TAGS = Object.entries(DESCRIPTIONS).map(([name, description]) => ({ name, description }));

export const tagOf = (name: RouteName): Tag => TAG_OF[name.split('.')[0] as AreaOf<RouteName>];
