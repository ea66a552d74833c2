/** The example is a festival: Harbour Lights, which sells tickets and leads its visitors around. */
const SITE = 'https://harbourlights.example';
/** A search for this word finds the links of the example, by their destinations. */
export const SEARCH_WORD = 'harbourlights';

export const FOLDERS = [
  { name: 'Box office', description: 'Tickets and everything about them', color: '#2B63C6' },
  { name: 'Print', description: 'Posters, leaflets and the programme', color: '#C2410C' },
  { name: 'On site', description: 'Signs at the stages', color: '#34927A' },
];
export const TAGS = [
  { name: 'email', color: '#2B63C6' },
  { name: 'poster', color: '#C2700C' },
  { name: 'social', color: '#B8306A' },
  { name: 'transit', color: '#1C7DA0' },
];
export const UTM_TEMPLATES = [
  { name: 'Newsletter', description: 'Links in the weekly mail', utm_source: 'newsletter', utm_medium: 'email' },
  { name: 'Poster', description: 'Codes on posters and leaflets', utm_source: 'poster', utm_medium: 'print' },
];

export interface LinkPlan {
  short_code: string;
  title: string;
  destination_url: string;
  campaign_tag: string | null;
  folder?: string;
  tags: string[];
  template?: string;
  /** In the middle of the eight weeks, on an ordinary day. */
  scansPerDay: number;
  /** The share of the scans that come from a printed QR code. */
  printed: number;
  /** Before it the link is hardly known. */
  launchedDaysAgo?: number;
  endedDaysAgo?: number;
}

const OPENING = { campaign_tag: 'opening-week', launchedDaysAgo: 16 };
const POSTERS = { campaign_tag: 'posters', template: 'Poster', printed: 0.8 };

/** The first link of the example. It is archived when everything else exists. */
export const EARLY_BIRD: LinkPlan = {
  short_code: 'early-bird',
  title: 'Early-bird tickets',
  destination_url: `${SITE}/tickets?rate=early-bird`,
  campaign_tag: 'early-bird',
  folder: 'Box office',
  tags: ['email'],
  scansPerDay: 7,
  printed: 0,
  endedDaysAgo: 25,
};

/** In the order of their creation: lists begin with the last one. */
export const LINKS: readonly LinkPlan[] = [
  EARLY_BIRD,
  {
    short_code: 'press',
    title: 'Press kit',
    destination_url: `${SITE}/press`,
    campaign_tag: null,
    tags: [],
    scansPerDay: 1,
    printed: 0,
  },
  {
    short_code: 'volunteers',
    title: 'Become a volunteer',
    destination_url: `${SITE}/volunteers`,
    campaign_tag: 'newsletter',
    tags: ['email'],
    template: 'Newsletter',
    scansPerDay: 2,
    printed: 0,
  },
  {
    short_code: 'closing',
    title: 'Closing parade',
    destination_url: `${SITE}/closing-parade`,
    campaign_tag: null,
    folder: 'On site',
    tags: ['social'],
    scansPerDay: 1.5,
    printed: 0.1,
  },
  {
    short_code: 'shop',
    title: 'Festival shop',
    destination_url: `${SITE}/shop`,
    campaign_tag: null,
    folder: 'Box office',
    tags: ['social'],
    scansPerDay: 2,
    printed: 0.2,
  },
  {
    short_code: 'tram',
    title: 'Journey by tram',
    destination_url: `${SITE}/getting-here?by=tram`,
    folder: 'On site',
    tags: ['poster', 'transit'],
    scansPerDay: 4,
    ...POSTERS,
  },
  {
    short_code: 'opening',
    title: 'Opening night',
    destination_url: `${SITE}/opening-night`,
    folder: 'Print',
    tags: ['social'],
    scansPerDay: 6,
    printed: 0.1,
    ...OPENING,
  },
  {
    short_code: 'map',
    title: 'Map of the stages',
    destination_url: `${SITE}/map?layer=stages`,
    folder: 'On site',
    tags: ['poster'],
    scansPerDay: 6,
    ...POSTERS,
  },
  {
    short_code: 'programme',
    title: 'Programme',
    destination_url: `${SITE}/files/programme.pdf`,
    campaign_tag: 'newsletter',
    folder: 'Print',
    tags: ['email'],
    template: 'Newsletter',
    scansPerDay: 9,
    printed: 0.3,
  },
  {
    short_code: 'tickets',
    title: 'Tickets',
    destination_url: `${SITE}/tickets`,
    folder: 'Box office',
    tags: ['email', 'poster'],
    scansPerDay: 12,
    printed: 0.3,
    ...OPENING,
  },
];
