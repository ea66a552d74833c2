import type { RawScan } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
];
const REFERRERS = ['', 'https://www.google.com/', 'https://l.instagram.com/', 'https://news.ycombinator.com/item?id=1'];
const NETWORKS = ['81.2', '193.0', '8.8', '91.198', '203.104', '41.77'];
const WORKSPACES = 3;
const LINKS = 100;
const CAMPAIGNS = 8;
const VISITORS = 20_000;

/** Visits as a busy installation sees them: a few workspaces, some links far busier than others, many who come again. */
export function sampleScans(count: number): RawScan[] {
  return Array.from({ length: count }, () => {
    const link = Math.floor(LINKS * Math.random() ** 3);
    const visitor = Math.floor(VISITORS * Math.random() ** 2);
    const workspace = link % WORKSPACES;
    return {
      id: newId('scn'),
      at: new Date().toISOString(),
      workspace: `bench-${workspace}`,
      link_id: `lnk_${String(link).padStart(26, '0')}`,
      short_code: `code-${link}`,
      hostname: null,
      title: `Link ${link}`,
      campaign: link % 4 === 0 ? null : `campaign-${link % CAMPAIGNS}`,
      trigger: visitor % 3 === 0 ? 'qr' : 'link',
      address: `${NETWORKS[visitor % NETWORKS.length]}.${(visitor >> 8) % 256}.${visitor % 256}`,
      user_agent: AGENTS[visitor % AGENTS.length]!,
      referrer: REFERRERS[visitor % REFERRERS.length]!,
      prefetch: false,
    };
  });
}
