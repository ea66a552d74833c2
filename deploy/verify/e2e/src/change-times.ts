import { setTimeout as sleep } from 'node:timers/promises';
import { linksClient, type LinksSchemas } from '@waymark/client';
import { answered } from './calls.js';
import type { Demo } from './demo.js';
import { visitOnce } from './visits.js';

const LOOK_EVERY_MS = 5;
const TIMEOUT_MS = 120_000;

/** Milliseconds from the answer of the API to the first visitor who gets the change. */
export interface Times {
  median: number;
  p99: number;
  max: number;
}

interface Seen {
  status: number;
  location: string;
}

/**
 * Changes a link repeatedly, in each way a link can change, and measures when visitors get the change.
 * @param domain a verified domain of the workspace, which is removed at the end
 */
export async function timeChanges(
  demo: Demo,
  domain: { id: string; hostname: string },
  rounds: number,
): Promise<Record<string, Times>> {
  const { workspace } = demo;
  const api = linksClient({ baseUrl: demo.base_url, token: demo.users['owner']!.token });
  const change = (
    id: string,
    body: Partial<
      Pick<LinksSchemas['Link'], 'destination_url' | 'short_code' | 'status'> & { domain_id: string | null }
    >,
  ) =>
    answered(
      200,
      api.PATCH('/api/v1/workspaces/{workspace}/links/{id}', { params: { path: { workspace, id } }, body }),
    );
  const create = async (destination_url: string, domain_id: string | null = null) => {
    const body = { destination_url, domain_id };
    const params = { path: { workspace } };
    return (await answered(201, api.POST('/api/v1/workspaces/{workspace}/links', { params, body }))).data;
  };
  const times: Record<string, number[]> = {};

  async function time(
    change: string,
    shortCode: string,
    expected: (seen: Seen) => boolean,
    hostname?: string,
  ): Promise<void> {
    const startedAt = performance.now();
    while (!expected(await look(demo, shortCode, hostname))) {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`visitors never see it ${change}`);
      await sleep(LOOK_EVERY_MS);
    }
    (times[change] ??= []).push(Math.round(performance.now() - startedAt));
  }

  async function timeRemoval(): Promise<void> {
    const destination = 'https://example.com/left';
    const { short_code: code } = await create(destination, domain.id);
    const params = { path: { workspace, id: domain.id } };
    await answered(204, api.DELETE('/api/v1/workspaces/{workspace}/domains/{id}', { params }));
    await time('left a removed domain', code, ({ location }) => location === destination);
    await time('gone from a removed domain', code, ({ status }) => status === 404, domain.hostname);
  }

  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = ['first', 'second'].map((name) => `https://example.com/${name}/${round}`) as [
      string,
      string,
    ];
    const { id, short_code: code } = await create(first);
    await time('created', code, ({ location }) => location === first);
    await change(id, { destination_url: second });
    await time('updated', code, ({ location }) => location === second);
    await change(id, { short_code: `${code}-new` });
    await time('renamed', `${code}-new`, ({ location }) => location === second);
    await time('renamed, at its former code', code, ({ location }) => location === second);
    await change(id, { domain_id: domain.id });
    await time('moved to a domain', `${code}-new`, ({ location }) => location === second, domain.hostname);
    await change(id, { domain_id: null });
    await time('moved back', `${code}-new`, ({ location }) => location === second);
    await change(id, { status: 'archived' });
    await time('archived', code, ({ status }) => status === 410);
    await change(id, { status: 'active' });
    await time('reactivated', code, ({ location }) => location === second);
    const params = { path: { workspace, id } };
    await answered(204, api.DELETE('/api/v1/workspaces/{workspace}/links/{id}', { params }));
    await time('deleted', code, ({ status }) => status === 404);
  }
  await timeRemoval();
  const kinds = Object.entries(times).map(([change, each]) => [change, summarize(each)]);
  return { ...Object.fromEntries(kinds), 'all changes': summarize(Object.values(times).flat()) } as Record<
    string,
    Times
  >;
}

/** Visits as a preview, which is not counted. */
function look({ short_url: shortUrl }: Demo, shortCode: string, hostname?: string): Promise<Seen> {
  const headers: Record<string, string> = hostname === undefined ? {} : { host: hostname };
  return visitOnce(shortUrl, shortCode, { method: 'HEAD', path: (code) => `/${code}`, headers });
}

function summarize(times: number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const quantileAt = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { median: quantileAt(0.5), p99: quantileAt(0.99), max: sorted.at(-1)! };
}
