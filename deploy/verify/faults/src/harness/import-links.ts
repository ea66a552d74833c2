import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../hostile/plain-request.js';

const IMPORT_TIMEOUT_MS = 300_000;
const POLL_MS = 500;

export interface Importer {
  /** The URL of the API of one workspace. */
  url: string;
  token: string;
}

/** Sends an import, JSON, and waits for its end. @returns its final status. @throws Error when it is not accepted */
export async function importLinks({ url, token }: Importer, body: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, sent?: string) => {
    const { status, text } = await send(url + path, { method, headers, body: sent, timeoutMs: 60_000 });
    if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
    return (JSON.parse(text) as { data: { id: string; status: string } }).data;
  };
  const { id } = await call('POST', '/links/import', body);
  const deadline = Date.now() + IMPORT_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const { status } = await call('GET', `/links/imports/${id}`);
    if (!['queued', 'processing'].includes(status)) return status;
    await sleep(POLL_MS);
  }
  return 'timed out';
}
