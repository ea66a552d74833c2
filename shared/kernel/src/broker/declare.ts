import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel } from 'amqplib';
import { REQUESTERS } from '@waymark/contract/queues';
import type { Log } from '../process/log.js';
import type { Declares } from '../process/declares.js';
import { closeChannel } from './managed-channel.js';
import {
  assertExchanges,
  assertQueue,
  bindQueue,
  installationQueues,
  type QueueDeclaration,
  type Topology,
} from './topology.js';

const NOT_FOUND = 404;
const RESOURCE_LOCKED = 405;
const PRECONDITION_FAILED = 406;
/** 0.1.0 kept each kind of question in a classic queue, on one node of the cluster. */
const RETIRED_QUEUES = Object.keys(REQUESTERS);

const LOCK_CHECK_EVERY_MS = 250;
const LOCK_WAIT_MAX_MS = 30_000;

/** The part of a broker that declarations need. */
interface DeclaringBroker {
  topology: Topology;
  declares: Declares;
  log: Log;
}

/** @throws when an exchange or a queue that this process needs before it publishes is missing */
export async function declareInstallation(connection: ChannelModel, broker: DeclaringBroker): Promise<void> {
  const { topology, declares } = broker;
  if (declares === 'none') return checkMarker(connection, topology);
  if (declares === 'own') return ensureQueues(connection, broker, []);
  const queues = installationQueues(topology);
  const giveUpAt = performance.now() + LOCK_WAIT_MAX_MS;
  while (!(await isDeclared(connection, topology, queues))) {
    if ((await takeLock(connection, topology)) || performance.now() > giveUpAt)
      return declareAll(connection, broker, queues);
    await sleep(LOCK_CHECK_EVERY_MS);
  }
}

async function declareAll(
  connection: ChannelModel,
  broker: DeclaringBroker,
  queues: readonly QueueDeclaration[],
): Promise<void> {
  const { marker, lock } = broker.topology;
  try {
    await ensureQueues(connection, broker, queues);
    await onChannel(connection, (channel) => channel.assertExchange(marker, 'fanout', { durable: true }));
  } finally {
    // Refused when another connection has it.
    await onChannel(connection, (channel) => channel.deleteQueue(lock)).catch(() => undefined);
  }
}

/**
 * Lets one process of a new installation declare, since all start together. The lock is a queue that only its connection
 * may use and that goes with it. Any failure but a lock of another connection counts as taken: declaring twice costs
 * time, and changes nothing.
 */
async function takeLock(connection: ChannelModel, { lock }: Topology): Promise<boolean> {
  try {
    await onChannel(connection, (channel) => channel.assertQueue(lock, { exclusive: true }));
    return true;
  } catch (error) {
    return replyCodeOf(error) !== RESOURCE_LOCKED;
  }
}

/**
 * Checks the names alone: the marker stands for bindings and arguments. Each binding that is declared costs the broker a
 * millisecond, even if it exists, and all processes check at the same time.
 */
async function isDeclared(
  connection: ChannelModel,
  topology: Topology,
  queues: readonly QueueDeclaration[],
): Promise<boolean> {
  try {
    await checkMarker(connection, topology);
    await onChannel(connection, (channel) =>
      Promise.all(topology.exchanges.map((name) => channel.checkExchange(name))),
    );
    await checkQueues(connection, queues);
    return true;
  } catch (error) {
    if (replyCodeOf(error) === NOT_FOUND) return false;
    throw error;
  }
}

/** The reply code with which the broker has closed a channel. */
const replyCodeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** Removes the queues of earlier versions once nothing consumes them. */
export async function deleteRetiredQueues(connection: ChannelModel, topology: Topology): Promise<void> {
  for (const name of RETIRED_QUEUES) {
    const queue = topology.queue(name);
    // Refused while a process of the earlier version consumes it, or while its node is down: the next start tries
    // again.
    await onChannel(connection, (channel) => channel.deleteQueue(queue, { ifUnused: true })).catch(() => undefined);
  }
}

/** Declares queues, or checks that they exist where this process must not declare them. */
export async function ensureQueues(
  connection: ChannelModel,
  { topology, declares, log }: DeclaringBroker,
  queues: readonly QueueDeclaration[],
): Promise<void> {
  if (declares === 'none') return checkQueues(connection, queues);
  await onChannel(connection, (channel) => assertExchanges(channel, topology));
  await declareQueues(connection, queues, log);
}

/**
 * A queue that exists with other arguments is used unchanged: arguments cannot change while a queue exists, and a limit
 * must not stop a process. The operator replaces the queue (see "Queues with old arguments").
 */
async function declareQueues(connection: ChannelModel, queues: readonly QueueDeclaration[], log: Log): Promise<void> {
  const different: QueueDeclaration[] = [];
  let rest = queues;
  while (rest.length > 0) {
    const failed = await onChannel(connection, (channel) => declareUntilMismatch(channel, rest));
    if (failed === undefined) break;
    different.push(rest[failed]!);
    rest = rest.slice(failed + 1);
  }
  if (different.length === 0) return;
  await onChannel(connection, async (channel) => {
    for (const queue of different) await bindQueue(channel, queue);
  });
  log.warn({ queues: different.map(({ name }) => name) }, 'queues exist with other arguments and are used as they are');
}

/** @returns the index of the queue that exists with other arguments; the broker closed the channel over it */
async function declareUntilMismatch(
  channel: Channel,
  queues: readonly QueueDeclaration[],
): Promise<number | undefined> {
  for (const [index, queue] of queues.entries()) {
    try {
      await assertQueue(channel, queue);
    } catch (error) {
      if (replyCodeOf(error) === PRECONDITION_FAILED) return index;
      throw error;
    }
  }
  return undefined;
}

/** @throws when not all queues of this version were declared */
export async function checkMarker(connection: ChannelModel, { marker }: Topology): Promise<void> {
  await onChannel(connection, (channel) => channel.checkExchange(marker));
}

function checkQueues(connection: ChannelModel, queues: readonly QueueDeclaration[]): Promise<void> {
  return onChannel(connection, async (channel) => {
    for (const { name } of queues) await channel.checkQueue(name);
  });
}

async function onChannel<T>(connection: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await connection.createChannel();
  // The failed operation reports it as well.
  channel.on('error', () => undefined);
  try {
    return await work(channel);
  } finally {
    await closeChannel(channel);
  }
}
