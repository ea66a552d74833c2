import { backing, type SystemSettings } from '@waymark/launcher/process-table';
import { VISITORS_COUNT } from './audience.js';

/**
 * Gives visitors to the scans of earlier days. Analytics stores a late scan without one, because the salt of its day is
 * destroyed; only an example may make one up.
 */
export async function addVisitors(settings: SystemSettings, workspace: string): Promise<void> {
  const { origin, pathname, username, password } = new URL(backing(settings, 'analytics')['CLICKHOUSE_URL']!);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = username === '' ? undefined : { authorization: `Basic ${credentials.toString('base64')}` };
  const visit = `cityHash64(toDate(at), cityHash64(id) % ${VISITORS_COUNT})`;
  const query = `ALTER TABLE "${decodeURIComponent(pathname.slice(1))}".scans UPDATE visit = ${visit}
    WHERE visit = 0 AND workspace = '${workspace}' SETTINGS mutations_sync = 1`;
  const response = await fetch(origin, { method: 'POST', headers, body: query });
  if (!response.ok) throw new Error(`ClickHouse answered ${response.status}: ${await response.text()}`);
}
