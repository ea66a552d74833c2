import { z } from 'zod';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { invalidOption } from '../errors.js';
import { dryRun, type Command, type Commands } from './command.js';
import { brokerConfig, loadConfig } from '../process/config.js';
import { listParked, replayParked, type ParkedMessage, type ReplaySelection } from '../broker/parked.js';

const queue = z.enum(WORK_QUEUES).describe('work queue of the messages');
const limit = z.coerce.number().int().min(1).max(10_000).default(1000).describe('messages, at most 10,000');

const command = <S extends z.ZodObject>(definition: Command<NodeJS.ProcessEnv, S>): Command<NodeJS.ProcessEnv> =>
  definition;

/** The operator's commands for the queues of every service. */
export const PARKED_COMMANDS: Commands<NodeJS.ProcessEnv> = {
  'parked list': command({
    summary: 'Lists parked messages and leaves them parked',
    options: z.object({ queue: queue.optional(), limit }),
    run: (env, options) => listParked(addressOf(env), options.queue ? [options.queue] : WORK_QUEUES, options.limit),
  }),
  'parked replay': command({
    summary: 'Moves parked messages back to their queue, once their cause is fixed',
    options: z.object({ queue, id: z.string().optional().describe('replays this message alone'), limit, dryRun }),
    run: async (env, { dryRun: isDryRun, ...selection }) => {
      const messages = await (isDryRun ? findSelected(env, selection) : replayParked(addressOf(env), selection));
      if (messages.length > 0 || selection.id === undefined) return messages;
      throw invalidOption('id', `The message is not among the first ${selection.limit} parked ones of this queue.`);
    },
  }),
};

function addressOf(env: NodeJS.ProcessEnv): { url: string; namespace: string } {
  const { AMQP_URL: url, AMQP_NAMESPACE: namespace } = loadConfig(brokerConfig, env);
  return { url, namespace };
}

async function findSelected(
  env: NodeJS.ProcessEnv,
  { queue: name, id, limit: max }: ReplaySelection,
): Promise<ParkedMessage[]> {
  const parked = await listParked(addressOf(env), [name], max);
  return parked.filter((message) => id === undefined || message.id === id);
}
