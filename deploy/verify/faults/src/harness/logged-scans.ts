import { scanLogged, type LoggedScan } from '@waymark/contract/events';
import { Broker } from '@waymark/kernel/broker/connection';
import { startConsumer } from '@waymark/kernel/broker/consumer';
import { openPublisher } from '@waymark/kernel/broker/publisher';
import { Lifecycle } from '@waymark/kernel/process/lifecycle';
import { createLog } from '@waymark/kernel/process/log';
import { Metrics } from '@waymark/kernel/process/metrics';
import type { Environment } from './environment.js';

const QUEUE = 'test.logged';

/** Collects the events of analytics from a separate durable queue. */
export class LoggedScans {
  /** The ids of the events for each scan, by the scan's id. */
  readonly events = new Map<string, Set<string>>();
  private readonly lifecycle = new Lifecycle(createLog('faults', 'silent'));

  static async listen(environment: Environment): Promise<LoggedScans> {
    const logged = new LoggedScans();
    const log = createLog('faults', 'silent');
    const { amqpUrl, namespace } = environment.system.settings;
    const broker = new Broker(
      { url: amqpUrl, namespace, name: 'waymark-faults-logged' },
      { log, lifecycle: logged.lifecycle },
    );
    const parts = { broker, publisher: openPublisher(broker), log, metrics: new Metrics('faults') };
    startConsumer<{ scans: LoggedScan[] }>(
      { ...parts, lifecycle: logged.lifecycle },
      { queue: QUEUE, events: [scanLogged], batchMax: 50, handle: (events) => Promise.resolve(logged.note(events)) },
    );
    broker.start();
    await environment.state.waitForQueue(QUEUE);
    return logged;
  }

  /** Scans that more than one event named. */
  get doubled(): number {
    return [...this.events.values()].filter(({ size }) => size > 1).length;
  }

  stop(): Promise<void> {
    return this.lifecycle.stop();
  }

  private note(events: { id: string; data: { scans: LoggedScan[] } }[]): void {
    for (const { id, data } of events) {
      for (const { scan } of data.scans) {
        const known = this.events.get(scan.id);
        if (known) known.add(id);
        else this.events.set(scan.id, new Set([id]));
      }
    }
  }
}
