import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@waymark/contract/ids';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { freePorts } from '@waymark/stack/ports';
import type { Stack } from '@waymark/stack/stack-types';
import { ROOT, type SystemSettings } from '@waymark/launcher/process-table';

/** For an installation that is measured and thrown away. */
export async function freshSettings(
  { mongoUri, amqpUrl, clickHouseUrl }: Pick<Stack, 'mongoUri' | 'amqpUrl' | 'clickHouseUrl'>,
  lifecycle: Lifecycle,
): Promise<SystemSettings> {
  mkdirSync(join(ROOT, '.local'), { recursive: true });
  // On the disk that an installation uses: a file system in memory would flatter the spool.
  const folder = mkdtempSync(join(ROOT, '.local', 'bench-'));
  lifecycle.onStop('folder', () => rmSync(folder, { recursive: true, force: true }));
  const [port, shortPort] = (await freePorts(2)) as [number, number];
  return {
    deployment: 'links',
    mongoUri,
    amqpUrl,
    clickHouseUrl,
    namespace: `bench-${newId('evt').slice(-8).toLowerCase()}`,
    port,
    shortPort,
    folder,
    // The queues of services that a bench does not start would fill, and then refuse.
    env: { LOG_LEVEL: 'warn', AMQP_DECLARE: 'own' },
  };
}
