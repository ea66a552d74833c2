import { fillExample } from '@waymark/start/example/fill';
import type { RunningSystem } from '../system.js';

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

  /** Creates folders, tags and links, with the scans and conversions of eight weeks. */
  async create(): Promise<void> {
    const { system, demo } = this.running;
    const members = [demo.users['outsider']!.token, demo.users['both']!.token];
    const tokens = { editors: members, analysts: members, reporters: members };
    await fillExample({ settings: system.settings, workspace: 'globex', tokens }, () => undefined);
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
