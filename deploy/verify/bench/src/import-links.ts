import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceInstallation } from './resource-installation.js';

const POLL_EVERY_MS = 25;
const TIMEOUT_MS = 300_000;

/** Sends an import of `rows` rows and waits for its last one. */
export async function importLinks(
  { caller }: ResourceInstallation,
  { workspace, rows, rowOf }: { workspace: string; rows: number; rowOf: (index: number) => object },
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  const links = Array.from({ length: rows }, (_, index) => rowOf(index));
  const sent = await caller.call('POST', '/links/import', { workspace, body: { links } });
  if (sent.status !== 202) throw new Error(`${sent.status} ${sent.text}`);
  const { id } = (sent.body as { data: { id: string } }).data;
  while (performance.now() < deadline) {
    const job = await caller.call('GET', `/links/imports/${id}`, { workspace });
    const { status } = (job.body as { data: { status: string } }).data;
    if (status === 'completed') return;
    if (!['queued', 'processing'].includes(status)) throw new Error(job.text);
    await sleep(POLL_EVERY_MS);
  }
  throw new Error('the import did not end in time');
}
