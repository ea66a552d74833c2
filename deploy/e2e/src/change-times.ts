import { setTimeout as sleep } from 'node:timers/promises';
import { linksClient, type LinksSchemas } from '@waymark/client';
import { answered } from './calls.js';
import type { Demo } from './scenario.js';

const LOOK_EVERY_MS = 5;
const TIMEOUT_MS = 20_000;

/** Milliseconds from the answer of the API to the first visitor who gets what it says. */
export interface Times {
  median: number;
  max: number;
}

interface Seen {
  status: number;
  location: string | null;
}

/** Changes a link over and over, in each way a link can change, and looks when visitors get what was changed. */
export async function timeChanges(demo: Demo, rounds: number): Promise<Record<string, Times>> {
  const { workspace } = demo;
  const api = linksClient({ baseUrl: demo.base_url, token: demo.users['owner']!.token });
  const change = (id: string, body: Partial<Pick<LinksSchemas['Link'], 'destination_url' | 'short_code' | 'status'>>) =>
    answered(
      200,
      api.PATCH('/api/v1/workspaces/{workspace}/links/{id}', { params: { path: { workspace, id } }, body }),
    );
  const times: Record<string, number[]> = {};

  async function time(change: string, shortCode: string, expected: (seen: Seen) => boolean): Promise<void> {
    const startedAt = performance.now();
    while (!expected(await look(demo, shortCode))) {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`visitors never see it ${change}`);
      await sleep(LOOK_EVERY_MS);
    }
    (times[change] ??= []).push(Math.round(performance.now() - startedAt));
  }

  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = ['first', 'second'].map((name) => `https://example.com/${name}/${round}`) as [
      string,
      string,
    ];
    const body = { destination_url: first };
    const created = await answered(
      201,
      api.POST('/api/v1/workspaces/{workspace}/links', { params: { path: { workspace } }, body }),
    );
    const { id, short_code: code } = created.data;
    await time('created', code, ({ location }) => location === first);
    await change(id, { destination_url: second });
    await time('updated', code, ({ location }) => location === second);
    await change(id, { short_code: `${code}-new` });
    await time('renamed', `${code}-new`, ({ location }) => location === second);
    await time('renamed, at its former code', code, ({ location }) => location === second);
    await change(id, { status: 'archived' });
    await time('archived', code, ({ status }) => status === 410);
    await change(id, { status: 'active' });
    await time('reactivated', code, ({ location }) => location === second);
    const params = { path: { workspace, id } };
    await answered(204, api.DELETE('/api/v1/workspaces/{workspace}/links/{id}', { params }));
    await time('deleted', code, ({ status }) => status === 404);
  }
  return Object.fromEntries(Object.entries(times).map(([change, each]) => [change, summarize(each)]));
}

/** As a preview does, which is not counted: a scan would freeze the code. */
async function look({ short_url: shortUrl }: Demo, shortCode: string): Promise<Seen> {
  const { status, headers } = await fetch(`${shortUrl}/${shortCode}`, { method: 'HEAD', redirect: 'manual' });
  return { status, location: headers.get('location') };
}

function summarize(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  return { median: sorted[sorted.length >> 1]!, max: sorted.at(-1)! };
}
