import { waitFor } from '@waymark/testing/wait-for';
import type { Caller } from '../gateway/callers.js';
import type { Installation } from './installation.js';

const ROWS_AT_ONCE = 10_000;
/** Links that have a word in common, in a workspace of any size. */
const GROUP = 10;
const IMPORT = { timeoutMs: 600_000, pauseMs: 25 };

/** A workspace with links, and with an entry in its audit log for each. */
export interface Workspace {
  owner: Caller;
  links: number;
  /** Some of its links. */
  ids: string[];
}

/** A word that ten links have. */
export const groupOf = (index: number, links: number): string =>
  `group${String(index % Math.ceil(links / GROUP)).padStart(6, '0')}`;

/** Fills a workspace by imports. @returns also how long each of them took, in ms */
export async function fillWorkspace(
  installation: Installation,
  owner: Caller,
  links: number,
): Promise<Workspace & { times: number[] }> {
  const times: number[] = [];
  for (let from = 0; from < links; from += ROWS_AT_ONCE) {
    const startedAt = performance.now();
    await importRows(installation, owner, rowsFrom(from, links));
    times.push(performance.now() - startedAt);
    console.error(`${owner.workspace}: ${Math.min(from + ROWS_AT_ONCE, links)} of ${links} links`);
  }
  await installation.auditIsComplete(owner.workspace, links);
  const listed = await installation.call<{ id: string }[]>(owner, '/links?per_page=100');
  return { owner, links, ids: listed.map(({ id }) => id), times };
}

const rowsFrom = (from: number, links: number): object[] =>
  Array.from({ length: Math.min(ROWS_AT_ONCE, links - from) }, (_, index) => ({
    destination_url: `https://example.com/campaign/${from + index}?ref=import`,
    title: `Link ${from + index} of ${groupOf(from + index, links)}`,
    campaign_tag: 'spring-26',
  }));

async function importRows({ call }: Installation, owner: Caller, links: object[]): Promise<void> {
  const { id } = await call<{ id: string }>(owner, '/links/import', { links });
  const isComplete = async () => (await call<{ status: string }>(owner, `/links/imports/${id}`)).status === 'completed';
  await waitFor('the import', isComplete, IMPORT);
}

/** Inserts the documents of a workspace into a collection with the indexes of the links. @returns how long that took, in ms */
export async function insertRaw({ links }: Installation, workspace: string): Promise<number> {
  const documents = await links.collection('links').find({ workspace }).limit(ROWS_AT_ONCE).toArray();
  const indexes = (await links.collection('links').indexes()).filter(({ name }) => name !== '_id_');
  const raw = await links.createCollection('raw');
  await raw.createIndexes(indexes.map(({ key, name, unique }) => ({ key, name, ...(unique && { unique }) })));
  const startedAt = performance.now();
  for (let from = 0; from < documents.length; from += 1000) await raw.insertMany(documents.slice(from, from + 1000));
  return performance.now() - startedAt;
}
