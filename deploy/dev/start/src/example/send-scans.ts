import { scanRecorded, type RawScan } from '@waymark/contract/events';
import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import type { SystemSettings } from '@waymark/launcher/process-table';
import { publishEvent } from '@waymark/testing/publish-event';

const SCANS_PER_MESSAGE = 200;

/** Sends scans to the broker, as the redirect does. */
export async function sendScans({ amqpUrl: url, namespace }: SystemSettings, scans: readonly RawScan[]): Promise<void> {
  const log = createLog('example', 'silent');
  const lifecycle = new Lifecycle(log);
  const broker = new Broker({ url, namespace, name: 'waymark-example' }, { log, lifecycle });
  const publisher = openPublisher(broker);
  broker.start();
  try {
    for (let sent = 0; sent < scans.length; sent += SCANS_PER_MESSAGE) {
      const event = scanRecorded.create({ workspace: null }, { scans: scans.slice(sent, sent + SCANS_PER_MESSAGE) });
      await publishEvent(publisher, event);
    }
  } finally {
    await lifecycle.stop();
  }
}
