import type { ProcessContext, WorkerContext } from '../process/lifecycle.js';
import type { Log } from '../process/log.js';
import type { Metrics } from '../process/metrics.js';
import { withTimeout } from '../with-timeout.js';
import { checkMarker, declareInstallation, deleteRetiredQueues } from './declare.js';
import type { Declares } from '../process/declares.js';
import { closeChannel, type SetUp } from './managed-channel.js';
import { ManagedConnection, type KeepOptions } from './managed-connection.js';
import { userPrefix } from './producer.js';
import { QueueDepths } from './queue-depths.js';
import { Topology } from './topology.js';

const CHECK_TOPOLOGY_EVERY_MS = 30_000;
/** All declarations of an installation, on a cluster that has just lost a node. */
const DECLARE_TIMEOUT_MS = 120_000;

const userOf = (url: string): string | undefined => decodeURIComponent(new URL(url).username) || undefined;

interface BrokerSettings {
  AMQP_URL: string;
  AMQP_NAMESPACE: string;
  AMQP_DECLARE?: Declares;
}

/** Opens the broker of a service: a service with its own broker user has no right to declare durable objects. */
export function openBroker(service: string, { config, log, lifecycle }: ProcessContext<BrokerSettings>): Broker {
  const { AMQP_URL, AMQP_NAMESPACE, AMQP_DECLARE } = config;
  const user = userOf(AMQP_URL.split(',')[0]!);
  const declares = AMQP_DECLARE ?? (userPrefix({ service, user }) ? 'none' : 'all');
  return new Broker(
    { url: AMQP_URL, namespace: AMQP_NAMESPACE, name: `waymark-${service}`, declares },
    { log, lifecycle },
  );
}

export interface BrokerOptions {
  /** One address, or the addresses of a cluster's nodes with commas between them. */
  url: string;
  namespace: string;
  /** Names the connections; after `waymark-`, the service. */
  name: string;
  declares?: Declares;
}

/**
 * A process's two connections to the broker: one publishes and one consumes, because an alarm stops the broker from
 * reading a connection that publishes. Acknowledgements travel on the consuming one.
 */
export class Broker {
  readonly topology: Topology;
  readonly publishing: ManagedConnection;
  readonly consuming: ManagedConnection;
  /** The service, as its queues and its broker user are named. */
  readonly service: string;
  /** The user of the connections; the broker refuses a message that names another one. */
  readonly user: string | undefined;
  readonly log: Log;
  readonly declares: Declares;
  readonly depths: QueueDepths;
  private hasConsumers = false;
  private hasDeclared = false;
  private isComplete = false;

  constructor({ url, namespace, name, declares = 'own' }: BrokerOptions, { log, lifecycle }: WorkerContext) {
    this.log = log;
    this.declares = declares;
    this.topology = new Topology(namespace);
    this.depths = new QueueDepths(this.topology);
    this.service = name.replace(/^waymark-/, '');
    const urls = url.split(',');
    this.user = userOf(urls[0]!);
    this.publishing = new ManagedConnection({ urls, log, name: `${name} publishing` });
    this.consuming = new ManagedConnection({ urls, log, name: `${name} consuming` });
    this.keepTopology(() => lifecycle.isStopping);
    lifecycle.onStop('broker', async () => {
      await Promise.all([this.publishing.close(), this.consuming.close()]);
    });
  }

  get isUp(): boolean {
    return this.publishing.isUp && this.consuming.isUp;
  }

  /**
   * True once every queue of the installation exists and this process has tried to start its own consumers: an
   * event published now reaches every queue bound for it.
   */
  get isReadyToPublish(): boolean {
    this.hasConsumers ||= this.consuming.isUp;
    return this.isComplete && this.hasConsumers && this.publishing.isUp && !this.publishing.isBlocked;
  }

  /** Keeps a channel open on the connection that consumes. Call it before `start`. */
  keepChannel(name: string, setUp: SetUp, options?: KeepOptions): void {
    this.consuming.keepChannel(name, setUp, options);
  }

  start(): void {
    this.consuming.start();
    this.publishing.start();
  }

  /** Drops both connections. */
  drop(reason: string): void {
    this.publishing.drop(reason);
    this.consuming.drop(reason);
  }

  reportTo(metrics: Metrics): void {
    metrics.gauge('broker_up', '1 while both connections to the broker are up', () => Number(this.isUp));
    metrics.gauge('broker_blocked', '1 while an alarm keeps the broker from taking messages', () =>
      Number(this.publishing.isBlocked),
    );
    metrics.gauge(
      'broker_channels_closed',
      'Consumers and other channels that are not set up on an open connection',
      () => this.closedChannels.length,
    );
    metrics.gauge('broker_topology_complete', '1 once every queue of the installation exists', () =>
      Number(this.isComplete),
    );
    this.keepChannel('queue depths', (channel) => Promise.resolve(this.depths.use(channel)));
    const read = () => this.depths.read();
    metrics.labelledGauge('queue_messages', 'Messages that wait in a queue of this service', { label: 'queue', read });
  }

  get closedChannels(): string[] {
    return [this.publishing, this.consuming].flatMap((connection) =>
      connection.isUp ? connection.closedChannels : [],
    );
  }

  /**
   * Declares the queues before anything is published, and checks from time to time that they exist: a deleted queue
   * comes back. A process that has declared them asks for the marker alone when its connection returns: all processes return at the
   * same moment, and a cluster that has just lost a node needs long for hundreds of declarations.
   */
  private keepTopology(isStopping: () => boolean): void {
    const setUp: SetUp = async (channel, connection) => {
      const ensure = () => declareInstallation(connection, this);
      try {
        if (this.hasDeclared) await checkMarker(connection, this.topology);
        else await ensure();
        this.isComplete = true;
        if (this.declares === 'all' && !this.hasDeclared) await deleteRetiredQueues(connection, this.topology);
        this.hasDeclared = this.declares !== 'own';
      } catch (error) {
        this.hasDeclared = false;
        this.isComplete = false;
        throw error;
      }
      // A check that failed ends the channel, and with it the timer: the next setup checks again.
      const check = () =>
        withTimeout(DECLARE_TIMEOUT_MS, ensure(), () => new Error('the check of the topology timed out')).catch(
          (error: unknown) => {
            if (!isStopping()) this.log.error({ err: error }, 'the topology of the installation is not complete');
            this.hasDeclared = false;
            this.isComplete = false;
            return closeChannel(channel);
          },
        );
      let isChecking = false;
      const timer = setInterval(() => {
        if (isChecking) return;
        isChecking = true;
        void check().finally(() => (isChecking = false));
      }, CHECK_TOPOLOGY_EVERY_MS).unref();
      channel.once('close', () => clearInterval(timer));
    };
    this.consuming.keepChannel('topology', setUp, { setUpTimeoutMs: DECLARE_TIMEOUT_MS });
  }
}
