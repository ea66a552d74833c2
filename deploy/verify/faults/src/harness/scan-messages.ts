import type { Event } from '@waymark/contract/event';
import { scanRecorded, type RawScan } from '@waymark/contract/events';
import { newId } from '@waymark/contract/ids';
import type { Environment } from './environment.js';

export type ScanMessage = Event<{ scans: RawScan[] }>;

const PER_MESSAGE = 500;
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
];
const REFERRERS = ['', 'https://www.google.com/', 'https://news.example.com/item'];
const CAMPAIGNS = [null, 'spring', 'summer'];
const VISITORS = 4000;
const DAY_MS = 86_400_000;

/** A workspace that only analytics knows. */
export const CROWD = 'crowd';
const CROWD_LINKS = Array.from({ length: 20 }, (_, index) => ({ id: newId('lnk'), short_code: `crowd-${index}` }));

/**
 * Scans of the last day as edges would send them, in messages of 500. One message in `ofDemo` is of the demo workspace,
 * whose links and webhooks follow it; the others are of a workspace that has none.
 */
export function createScanMessages({ demo, links }: Environment, scans: number, ofDemo: number): ScanMessage[] {
  return Array.from({ length: scans / PER_MESSAGE }, (_, index) => {
    const [workspace, among] = index % ofDemo === 0 ? [demo.workspace, links] : [CROWD, CROWD_LINKS];
    const rows = Array.from({ length: PER_MESSAGE }, () => scanOf(workspace, among[randomBelow(among.length)]!));
    return messageOf(rows);
  });
}

/** The same scans in other messages, in another order. */
export function regrouped(messages: readonly ScanMessage[]): ScanMessage[] {
  const scans = shuffled(messages.flatMap(({ data }) => data.scans));
  const count = scans.length / PER_MESSAGE;
  return Array.from({ length: count }, (_, at) => messageOf(scans.slice(at * PER_MESSAGE, (at + 1) * PER_MESSAGE)));
}

export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

const messageOf = (scans: RawScan[]): ScanMessage => scanRecorded.create({ workspace: null }, { scans });
const randomBelow = (max: number): number => Math.floor(Math.random() * max);

function scanOf(workspace: string, link: { id: string; short_code: string }): RawScan {
  const visitor = randomBelow(VISITORS);
  return {
    id: newId('scn'),
    at: new Date(Date.now() - randomBelow(DAY_MS)).toISOString(),
    workspace,
    link_id: link.id,
    short_code: link.short_code,
    hostname: null,
    title: null,
    campaign: CAMPAIGNS[randomBelow(CAMPAIGNS.length)]!,
    trigger: visitor % 3 === 0 ? 'qr' : 'link',
    address: `81.2.${visitor >> 8}.${visitor % 256}`,
    user_agent: AGENTS[visitor % AGENTS.length]!,
    referrer: REFERRERS[visitor % REFERRERS.length]!,
    prefetch: false,
  };
}
