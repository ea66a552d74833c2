import type { RawScan } from '@waymark/contract/events';
import { RandomNumbers, type Weighted } from './random.js';

export const VISITORS_COUNT = 400;
const BOT_SHARE = 0.04;

type Visitor = Pick<RawScan, 'address' | 'user_agent' | 'accept_language'>;

/** The first parts of addresses of providers, and the languages of their customers. */
const NETWORKS: Weighted<[network: string, language: string]> = [
  [44, ['91.64.0', 'de-DE,de;q=0.9']],
  [6, ['91.64.0', 'en-GB,en;q=0.9']],
  [14, ['84.24.0', 'nl-NL,nl;q=0.9']],
  [9, ['80.62.116', 'da-DK,da;q=0.9']],
  [7, ['81.2.69', 'en-GB,en;q=0.9']],
  [6, ['83.0.0', 'pl-PL,pl;q=0.9']],
  [5, ['81.224.0', 'sv-SE,sv;q=0.9']],
  [4, ['90.0.0', 'fr-FR,fr;q=0.9']],
  [3, ['73.0.0', 'en-US,en;q=0.9']],
  [2, ['84.112.0', 'de-AT,de;q=0.9']],
];
const AGENTS: Weighted<string> = [
  [
    36,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  ],
  [
    28,
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  ],
  [
    8,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22G86 Instagram 401.0.0.30.107',
  ],
  [
    10,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  ],
  [
    5,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
  ],
  [5, 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  [
    4,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
  ],
  [
    4,
    'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
  ],
];
const BOTS: Weighted<string> = [
  [5, 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  [3, 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  [2, 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
];
const REFERRERS: Weighted<string> = [
  [5, ''],
  [2, 'https://www.instagram.com/'],
  [1.5, 'https://harbourlights.example/programme'],
  [1, 'https://www.google.com/'],
  [1, 'https://cityguide.example/weekend'],
];

/** The people and the bots who scan: each person comes back with the same address and browser. */
export class Audience {
  private readonly visitors: Visitor[];

  constructor() {
    const random = new RandomNumbers('visitors');
    this.visitors = Array.from({ length: VISITORS_COUNT }, () => {
      const [network, accept_language] = random.pick(NETWORKS);
      const address = `${network}.${1 + random.below(250)}`;
      return { address, user_agent: random.pick(AGENTS), accept_language };
    });
  }

  /** Returns what a scan shows of the person or bot behind it. */
  pickVisit(random: RandomNumbers, isPrinted: boolean): Visitor & { referrer: string } {
    const visitor = this.visitors[random.below(VISITORS_COUNT)]!;
    if (random.next() < BOT_SHARE) return { ...visitor, user_agent: random.pick(BOTS), referrer: '' };
    return { ...visitor, referrer: isPrinted ? '' : random.pick(REFERRERS) };
  }
}

const BOT_AGENTS = new Set(BOTS.map(([, agent]) => agent));

export const isBot = ({ user_agent: agent }: Pick<RawScan, 'user_agent'>): boolean => BOT_AGENTS.has(agent);
