import type { Progress } from './debian-root.js';

/** One server of a stack, for tests of its slowness, loss and return. */
export interface ServerControl {
  pids(): number[];
  /** Signals all processes of the server. */
  signal(signal: NodeJS.Signals): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** On the same ports with the same data. */
  restart(): Promise<void>;
}

export interface BrokerControl extends ServerControl {
  /** `rabbitmqctl` with these arguments; its standard output. */
  ctl(...args: string[]): Promise<string>;
}

export interface Stack {
  mongoUri: string;
  /** The addresses of a cluster's nodes, separated by commas. */
  amqpUrl: string;
  /** Without a database: each deployment and each test adds its own as the path. */
  clickHouseUrl: string;
  kind: 'given' | 'docker' | 'private-root';
  database?: ServerControl;
  clickHouse?: ServerControl;
  /** The broker, or the first node of its cluster. */
  broker?: BrokerControl;
  brokers?: BrokerControl[];
  /** Ends all servers that `openStack` has started, in order. */
  stop(): Promise<void>;
}

export interface StackOptions {
  /** Each name has data and ports of its own. */
  name: string;
  progress?: Progress;
  /** Starts from nothing, for a throw-away run: speed before durability. */
  fresh?: boolean;
  /** The nodes of a cluster, for fault tests; in the private root only. */
  brokerNodes?: number;
  env?: NodeJS.ProcessEnv;
}
