import { writeFileSync } from 'node:fs';
import { backing } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';
import { ACME, ensureDemoAccounts, readPreviousUsers, type DemoUser } from './demo-accounts.js';
import { isCodeTaken, requestPatiently } from './patient-request.js';
import type { Progress } from './progress.js';
import type { StartSettings } from './settings.js';

export interface Demo {
  deployment: 'links' | 'qr';
  base_url: string;
  short_url: string;
  workspace: string;
  /** The name servers that the domain service queries; empty for those of this machine. */
  dns_servers: string;
  users: Record<string, DemoUser>;
}

/**
 * Creates users, workspaces and tokens to try Waymark with, valid after every start, and a first link or QR code. That
 * content exists already when the owner's token is that of an earlier start: then it is not requested again, since the
 * owner may have used up the limit of requests.
 */
export async function prepareDemo(
  system: System,
  settings: StartSettings,
  progress: Progress = () => undefined,
): Promise<Demo> {
  const previous = readPreviousUsers(settings.demoFile);
  const installation = { baseUrl: system.baseUrl, adminEnv: backing(system.settings, 'auth') };
  const users = await ensureDemoAccounts(installation, previous);
  const demo: Demo = {
    deployment: settings.deployment,
    base_url: system.baseUrl,
    short_url: system.shortUrl,
    dns_servers: settings.dnsServers,
    workspace: ACME,
    users,
  };
  if (users['owner']!.token !== previous['owner']?.token) await createFirstContent(demo, progress);
  writeFileSync(settings.demoFile, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

/** The content that a deployment manages, in paths and in messages. */
export const CONTENT = { links: { path: 'links', name: 'link' }, qr: { path: 'qr-codes', name: 'QR code' } } as const;

/** Creates the link or QR code of the screen, unless an earlier start has done so. */
export async function createFirstContent(demo: Demo, progress: Progress): Promise<void> {
  const url = `${demo.base_url}/api/v1/workspaces/${demo.workspace}/${CONTENT[demo.deployment].path}`;
  const headers = { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    destination_url: 'https://example.com/welcome',
    short_code: 'welcome',
    title: 'Welcome',
  });
  const answer = await requestPatiently(url, { method: 'POST', headers, body }, progress);
  if (answer.status === 201 || isCodeTaken(answer)) return;
  throw new Error(`the API answered ${answer.status} to the first request: ${answer.text}`);
}
