import { Broker } from '@waymark/kernel/broker/connection';
import { openPublisher, type Publisher } from '@waymark/kernel/broker/publisher';
import type { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import type { SystemSettings } from '@waymark/launcher/process-table';

/** Takes every event in place of the absent services, since an unroutable event is published over and over. */
export function consumeEveryEvent(settings: SystemSettings, lifecycle: Lifecycle): Publisher {
  const log = createLog('bench', 'silent');
  const broker = new Broker(
    { url: settings.amqpUrl, namespace: settings.namespace, name: 'waymark-bench' },
    { log, lifecycle },
  );
  const publisher = openPublisher(broker);
  broker.keepChannel('every event', async (channel) => {
    await channel.assertExchange(broker.topology.events, 'topic', { durable: true });
    const { queue } = await channel.assertQueue('', { exclusive: true, arguments: { 'x-max-length': 1 } });
    await channel.bindQueue(queue, broker.topology.events, '#');
  });
  broker.start();
  return publisher;
}
