import { hasDockerStackData, openDockerStack, resetDockerStacks, whyNoDocker } from './docker-stack.js';
import { hasPrivateStackData, openPrivateStack, resetPrivateStacks } from './private-stack.js';
import { whyNoDebianRoot, type Progress } from './debian-root.js';
import type { Stack, StackOptions } from './stack-types.js';

/** A database, a broker and a ClickHouse, from the first source that this machine has. */
export async function openStack({
  name,
  progress,
  fresh = false,
  brokerNodes,
  env = process.env,
}: StackOptions): Promise<Stack> {
  const given = givenStack(env);
  if (given) return given;
  const options = { name, fresh, progress: progress ?? (() => undefined), brokerNodes };
  const noDocker = brokerNodes ? 'it starts no cluster' : await whyNoDocker(env);
  if (!noDocker) return openDockerStack(options);
  const noPrivateRoot = whyNoDebianRoot();
  if (!noPrivateRoot) return openPrivateStack(options);
  throw new Error(
    'No database, broker and ClickHouse: set MONGODB_URI (a replica set), AMQP_URL and CLICKHOUSE_URL, ' +
      `or start a Docker engine (${noDocker}), or run as root on Debian or Ubuntu (${noPrivateRoot}).`,
  );
}

/** Returns whether an earlier start left data of this stack; unknown, so false, for servers that were given. */
export async function hasStackData(name: string, env = process.env): Promise<boolean> {
  if (givenStack(env)) return false;
  return (await whyNoDocker(env)) ? hasPrivateStackData(name) : hasDockerStackData(name);
}

/** Removes the data of this checkout's stacks; refuses while one of them is running. */
export async function resetStacks(progress: Progress): Promise<void> {
  if (!(await whyNoDocker(process.env))) await resetDockerStacks(progress);
  resetPrivateStacks(progress);
}

function givenStack(env: NodeJS.ProcessEnv): Stack | undefined {
  const { MONGODB_URI: mongoUri, AMQP_URL: amqpUrl, CLICKHOUSE_URL: clickHouseUrl } = env;
  const stop = () => Promise.resolve();
  if (mongoUri && amqpUrl && clickHouseUrl) return { mongoUri, amqpUrl, clickHouseUrl, kind: 'given', stop };
  if (mongoUri || amqpUrl || clickHouseUrl) {
    throw new Error('Set all of MONGODB_URI, AMQP_URL and CLICKHOUSE_URL, or none of them.');
  }
  return undefined;
}
