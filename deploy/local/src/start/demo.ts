import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { backing, entryOf } from '../system/process-table.js';
import type { System } from '../system/system.js';
import type { StartSettings } from './settings.js';

interface DemoUser {
  email: string;
  password: string;
  token: string;
}

export interface Demo {
  deployment: 'links' | 'qr';
  base_url: string;
  short_url: string;
  workspace: string;
  /** Where the domain service looks for DNS records; empty for the name servers of this machine. */
  dns_servers: string;
  users: Record<string, DemoUser>;
}

/**
 * Users, workspaces and tokens to try things out with, valid after every start, and on an empty database a first link or
 * QR code.
 */
export async function prepareDemo(system: System, settings: StartSettings): Promise<Demo> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [entryOf('auth', 'admin/main.js'), 'demo', '--previous', settings.demoFile],
    { env: { PATH: process.env['PATH'], ...backing(system.settings, 'auth') } },
  );
  const demo: Demo = {
    deployment: settings.deployment,
    base_url: system.baseUrl,
    short_url: system.shortUrl,
    dns_servers: settings.dnsServers,
    ...(JSON.parse(stdout) as Pick<Demo, 'workspace' | 'users'>),
  };
  writeFileSync(settings.demoFile, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await ensureFirstContent(demo);
  return demo;
}

/** What a deployment manages, as paths and people call it. */
export const CONTENT = { links: { path: 'links', name: 'link' }, qr: { path: 'qr-codes', name: 'QR code' } } as const;

async function ensureFirstContent(demo: Demo): Promise<void> {
  const url = `${demo.base_url}/api/v1/workspaces/${demo.workspace}/${CONTENT[demo.deployment].path}`;
  const headers = { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' };
  const list = await fetch(`${url}?per_page=1`, { headers });
  if (!list.ok) throw new Error(`the API answered ${list.status} to the first request: ${await list.text()}`);
  const { meta } = (await list.json()) as { meta: { total: number } };
  if (meta.total > 0) return;
  const first = { destination_url: 'https://example.com/welcome', short_code: 'welcome', title: 'Welcome' };
  await fetch(url, { method: 'POST', headers, body: JSON.stringify(first) });
}
