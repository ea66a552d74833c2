import { setTimeout as sleep } from 'node:timers/promises';
import { openBroker } from '../broker/connection.js';
import { BrokerUnavailable } from '../broker/publisher.js';
import { NoAnswer, openRequester, type Requester } from '../broker/requests.js';
import { unavailable } from '../errors.js';
import { brokerConfig, loadConfig } from '../process/config.js';
import { Lifecycle } from '../process/lifecycle.js';
import { createLog } from '../process/log.js';

const CONNECT_TIMEOUT_MS = 15_000;
const RETRY_MS = 50;

/** Connects to the broker as a service does, for one command that asks another service. */
export async function withRequester<T>(
  service: string,
  env: NodeJS.ProcessEnv,
  work: (requester: Pick<Requester, 'ask'>) => Promise<T>,
): Promise<T> {
  const log = createLog('admin', 'silent');
  const lifecycle = new Lifecycle(log);
  const broker = openBroker(service, { config: loadConfig(brokerConfig, env), log, lifecycle });
  const requester = openRequester(broker);
  broker.start();
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  const ask: Requester['ask'] = async (...question) => {
    for (;;) {
      try {
        return await requester.ask(...question);
      } catch (error) {
        const isConnecting = error instanceof BrokerUnavailable && !(error instanceof NoAnswer);
        if (!isConnecting || performance.now() > deadline) throw unavailable(error);
        await sleep(RETRY_MS);
      }
    }
  };
  try {
    return await work({ ask });
  } finally {
    await lifecycle.stop();
  }
}
