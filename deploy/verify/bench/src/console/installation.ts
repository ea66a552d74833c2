import { join } from 'node:path';
import { PROCESS_NAMES } from '@waymark/launcher/process-table';
import { prepareDemo, type Demo } from '@waymark/start/demo';
import { waitFor } from '@waymark/testing/wait-for';
import { openEnvironment, type Stoppable } from '../install.js';

/** As many as an import may have. */
const ROWS_PER_IMPORT = 10_000;
const IMPORT_TIMEOUT_MS = 600_000;
const VISITS = 200;
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
];

export interface ConsoleInstallation extends Stoppable {
  demo: Demo;
  /** The newest link, which has scans. */
  linkId: string;
}

/** A whole system whose demo workspace has this many links, some of them with scans. */
export function installConsole(linkCount: number): Promise<ConsoleInstallation> {
  return openEnvironment(async ({ settings, start }) => {
    const system = await start([...PROCESS_NAMES], { auth: { API_WORKSPACE_REQUESTS_PER_MINUTE: '1000000' } });
    const { deployment, port, shortPort, folder } = settings;
    const demoFile = join(folder, 'demo.json');
    const demo = await prepareDemo(system, {
      ...{ deployment, port, shortPort, folder, demoFile },
      dnsServers: '',
      runFile: '',
    });
    console.error(`importing ${linkCount} links`);
    for (let from = 0; from < linkCount; from += ROWS_PER_IMPORT) {
      await importLinks(demo, from, Math.min(linkCount - from, ROWS_PER_IMPORT));
    }
    return { demo, linkId: await visitLinks(demo) };
  });
}

/** What the bench reads of the answers. */
interface Answer<T> {
  data: T;
}

async function call<T>(demo: Demo, path: string, body?: object): Promise<T> {
  const response = await fetch(`${demo.base_url}/api/v1/workspaces/${demo.workspace}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${demo.users['owner']!.token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as Answer<T>).data;
}

async function importLinks(demo: Demo, from: number, count: number): Promise<void> {
  const links = Array.from({ length: count }, (_, index) => ({
    destination_url: `https://example.com/campaign/${from + index}?ref=import`,
    short_code: `bench-${from + index}`,
    title: `Link number ${from + index}`,
    campaign_tag: 'spring-26',
  }));
  const { id } = await call<{ id: string }>(demo, '/links/import', { links });
  const isComplete = async () => {
    const { status } = await call<{ status: string }>(demo, `/links/imports/${id}`);
    return status === 'completed';
  };
  await waitFor('the import', isComplete, { timeoutMs: IMPORT_TIMEOUT_MS, pauseMs: 500 });
}

/** Scans of the newest links, so that the list has figures and the analytics page has charts. @returns the newest one */
async function visitLinks(demo: Demo): Promise<string> {
  const links = await call<{ id: string; short_url: string }[]>(demo, '/links?per_page=20');
  for (let visit = 0; visit < VISITS; visit += 1) {
    const headers = { 'user-agent': AGENTS[visit % AGENTS.length]!, referer: 'https://news.example/' };
    await fetch(links[visit % links.length]!.short_url, { redirect: 'manual', headers });
  }
  const areCounted = async () => {
    const { kpis } = await call<{ kpis: { total_scans: number } }>(demo, '/analytics/summary');
    return kpis.total_scans > 0;
  };
  await waitFor('the figures', areCounted);
  return links[0]!.id;
}
