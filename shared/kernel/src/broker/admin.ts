import { z } from 'zod';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { runCommandLine, type Command } from '../process/command-line.js';
import { brokerConfig, loadConfig } from '../process/config.js';
import { listParked, replayParked } from './parked.js';

const queue = z.enum(WORK_QUEUES);
const limit = z.coerce.number().int().min(1).max(10_000).default(1000);

interface BrokerTargets {
  broker: () => { url: string; namespace: string };
}

function brokerCommand<S extends z.ZodObject>(command: Command<BrokerTargets, S>): Command<BrokerTargets> {
  return command;
}

/** The operator's commands for the queues of every service. */
const COMMANDS = {
  'parked list': brokerCommand({
    usage: '[--queue Q] [--limit N]',
    options: z.object({ queue: queue.optional(), limit }),
    run: (targets, options) =>
      listParked(targets.broker(), options.queue ? [options.queue] : WORK_QUEUES, options.limit),
  }),
  'parked replay': brokerCommand({
    usage: '--queue Q [--id ID] [--limit N]',
    options: z.object({ queue, id: z.string().optional(), limit }),
    run: (targets, options) => replayParked(targets.broker(), options),
  }),
};

runCommandLine(COMMANDS, {
  broker: () => {
    const { AMQP_URL: url, AMQP_NAMESPACE: namespace } = loadConfig(brokerConfig, process.env);
    return { url, namespace };
  },
});
