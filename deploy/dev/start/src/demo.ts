import { writeFileSync } from 'node:fs';
import { linksClient, qrClient } from '@waymark/client';
import { backing } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';
import { ACME, ensureDemoAccounts, readPreviousUsers, type DemoUser } from './demo-accounts.js';
import { isCodeTaken, patientOptions } from './patient-client.js';
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
  const options = patientOptions(demo.base_url, [demo.users['owner']!.token], progress);
  const params = { path: { workspace: demo.workspace } };
  const body = { destination_url: 'https://example.com/welcome', short_code: 'welcome', title: 'Welcome' };
  try {
    if (demo.deployment === 'qr')
      await qrClient(options).POST('/api/v1/workspaces/{workspace}/qr-codes', { params, body });
    else await linksClient(options).POST('/api/v1/workspaces/{workspace}/links', { params, body });
  } catch (error) {
    if (isCodeTaken(error)) return;
    throw new Error(`the API refused the first content: ${(error as Error).message}`, { cause: error });
  }
}
