import { waitFor } from '@waymark/testing/wait-for';
import type { RunningSystem } from '../system.js';
import { addVisitors, sendFestivalScans, type ScannedLink } from './festival-scans.js';

const FOLDERS = [
  { name: 'Box office', description: 'Tickets and everything about them', color: '#2B63C6' },
  { name: 'Print', description: 'Posters, leaflets and the programme', color: '#C2410C' },
  { name: 'On site', description: 'Signs at the stages', color: '#34927A' },
];
const TAGS = { email: '#2B63C6', poster: '#C2700C', social: '#B8306A', transit: '#1C7DA0' };
/** The links of a festival: short code, destination, folder, tags, campaign and share of the scans in percent. */
const LINKS: [string, string, number, (keyof typeof TAGS)[], string | null, number][] = [
  ['closing', 'https://harbourlights.example/closing-parade', 2, ['social'], null, 3],
  ['tram', 'https://transit.example/journey?to=harbour-quay', 2, ['poster', 'transit'], 'posters', 10],
  ['opening', 'https://harbourlights.example/opening-night', 1, ['social'], 'opening-week', 12],
  ['map', 'https://maps.harbourlights.example/site?layer=stages', 2, ['poster'], 'posters', 15],
  ['programme', 'https://harbourlights.example/files/programme-2026.pdf', 1, ['email'], 'newsletter', 22],
  ['tickets', 'https://harbourlights.example/tickets/2026', 0, ['email', 'poster'], 'opening-week', 38],
];
const CONVERSIONS = 240;
const DAY_MS = 24 * 3600_000;

/** The demo's second workspace as that of a festival, for pictures of a workspace in use. */
export class Festival {
  private readonly headers: Record<string, string>;
  private readonly url: string;

  constructor(private readonly running: RunningSystem) {
    const { base_url, users } = running.demo;
    this.url = `${base_url}/api/v1/workspaces/globex`;
    this.headers = { authorization: `Bearer ${users['outsider']!.token}`, 'content-type': 'application/json' };
  }

  async call(method: string, path: string, body: object): Promise<{ id: string }> {
    const response = await fetch(this.url + path, { method, headers: this.headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: { id: string } }).data;
  }

  /** Deletes the links that other tests have left in the workspace. */
  async clear(): Promise<void> {
    const response = await fetch(`${this.url}/links?per_page=100`, { headers: this.headers });
    for (const { id } of ((await response.json()) as { data: { id: string }[] }).data) {
      const deleted = await fetch(`${this.url}/links/${id}`, { method: 'DELETE', headers: this.headers });
      if (!deleted.ok) throw new Error(`DELETE /links/${id}: ${deleted.status} ${await deleted.text()}`);
    }
  }

  /** Creates folders, tags and links, with the scans and conversions of two months. */
  async create(): Promise<void> {
    const folders = [];
    for (const folder of FOLDERS) folders.push((await this.call('POST', '/folders', folder)).id);
    const tags: Record<string, string> = {};
    for (const [name, color] of Object.entries(TAGS))
      tags[name] = (await this.call('POST', '/tags', { name, color })).id;
    const links: ScannedLink[] = [];
    for (const [short_code, destination_url, folder, names, campaign_tag, share] of LINKS) {
      const tag_ids = names.map((name) => tags[name]);
      const fields = { short_code, destination_url, folder_id: folders[folder], tag_ids, campaign_tag };
      links.push({ id: (await this.call('POST', '/links', fields)).id, short_code, campaign_tag, share });
    }
    const count = await sendFestivalScans(this.running.system, 'globex', links);
    await waitFor('the figures', async () => (await this.countScans()) === count);
    await addVisitors(this.running.system);
    await this.createConversions();
  }

  private async createConversions(): Promise<void> {
    const sale = { short_code: 'tickets', source: 'shop', value: 24, currency: 'EUR' };
    for (let number = 0; number < CONVERSIONS; number += 1) {
      const occurred_at = new Date(Date.now() - (number % 40) * DAY_MS).toISOString();
      await this.call('POST', '/conversions', { ...sale, occurred_at });
    }
  }

  private async countScans(): Promise<number> {
    const start = new Date(Date.now() - 70 * DAY_MS).toISOString().slice(0, 10);
    const response = await fetch(`${this.url}/analytics/summary?start_date=${start}`, { headers: this.headers });
    return ((await response.json()) as { data: { kpis: { total_scans: number } } }).data.kpis.total_scans;
  }

  /** Creates one of everything with the longest texts that the API accepts. */
  async createLongTexts(): Promise<void> {
    const long = (length: number) => 'Promenadenkonzert am Hafen '.repeat(12).slice(0, length).trim();
    const [{ id: folder }, { id: tag }] = await Promise.all([
      this.call('POST', '/folders', { name: long(100), description: long(250) }),
      this.call('POST', '/tags', { name: 'p'.repeat(50) }),
    ]);
    await this.call('POST', '/links', {
      destination_url: `https://harbourlights.example/${'a-long-path/'.repeat(100)}`,
      short_code: 'x'.repeat(64),
      title: long(200),
      folder_id: folder,
      tag_ids: [tag],
    });
    await this.call('POST', '/domains', { hostname: `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com` });
    await this.call('POST', '/webhooks', {
      url: `https://example.com/${'hook/'.repeat(60)}`,
      description: long(200),
      event_types: ['link.created'],
    });
    await this.call('POST', '/tokens', { name: long(100) });
  }
}
