import { parseArgs } from 'node:util';
import { safeParse, type z } from 'zod';
import { ConfigError } from './config.js';
import { Database } from '../mongo/database.js';
import { AppError } from '../errors.js';
import { Lifecycle } from './lifecycle.js';
import { createLog } from './log.js';

const CONNECT_TIMEOUT_MS = 15_000;

/** One command of the operator: its options, and its result, which is printed as JSON. */
export interface Command<Targets, S extends z.ZodObject = z.ZodObject> {
  usage: string;
  options: S;
  /** @param on the targets of commands; each is opened only by the commands that need it */
  run: (on: Targets, options: z.output<S>) => Promise<unknown>;
}

/** Describes an error in the call itself. */
class UsageError extends Error {}

/** Runs the command that the process was started for: `words of its name --option value …`. */
export function runCommandLine<Targets>(commands: Readonly<Record<string, Command<Targets>>>, targets: Targets): void {
  run(commands, targets, process.argv.slice(2)).then(
    (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
    (error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exitCode = error instanceof UsageError ? 2 : 1;
    },
  );
}

async function run<Targets>(
  commands: Readonly<Record<string, Command<Targets>>>,
  targets: Targets,
  args: string[],
): Promise<unknown> {
  const firstOption = args.findIndex((arg) => arg.startsWith('--'));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  if (words.length === 0) throw new UsageError(usage(commands));
  const name = words.join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`unknown command '${name}'\n${usage(commands)}`);
  const input = optionsOf(args.slice(words.length), command.options.shape);
  const options = command.options.safeParse(input);
  if (options.success) return command.run(targets, options.data);
  const problems = options.error.issues.map(({ path: [option = ''], message }) =>
    input[String(option)] === undefined ? `--${String(option)} is missing` : `--${String(option)}: ${message}`,
  );
  throw new UsageError(`${problems.join('; ')}\nusage: ${name} ${command.usage}`);
}

/** `--json` is understood and changes nothing: the answer is always JSON. */
function optionsOf(args: string[], shape: z.ZodObject['shape']): Record<string, unknown> {
  const options = Object.fromEntries([
    ...Object.entries<z.core.$ZodType>(shape).map(([name, schema]) => [
      name,
      { type: isFlag(schema) ? 'boolean' : 'string' },
    ]),
    ['json', { type: 'boolean' }],
  ]) as Record<string, { type: 'string' | 'boolean' }>;
  try {
    return { ...parseArgs({ args, options, strict: true }).values };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** An option without a value. */
const isFlag = (schema: z.core.$ZodType): boolean => safeParse(schema, true).success;

function usage(commands: Readonly<Record<string, { usage: string }>>): string {
  return ['commands:', ...Object.entries(commands).map(([name, { usage: of }]) => `  ${name} ${of}`)].join('\n');
}

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (error instanceof ConfigError) return `bad configuration: ${error.message}`;
  if (error instanceof AppError) {
    const details = Object.entries(error.details ?? {}).map(([field, messages]) => `${field}: ${String(messages)}`);
    return details.length > 0 ? details.join('; ') : error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Opens a service's database for one command; `open` makes the stores that the command needs before it connects. */
export async function withDatabase<Context, T>(
  uri: string,
  open: (db: Database, lifecycle: Lifecycle) => Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const log = createLog('admin', 'silent');
  const lifecycle = new Lifecycle(log);
  const db = new Database(uri, { log, lifecycle }, { hasLongTransactions: true });
  const context = open(db, lifecycle);
  const deadline = setTimeout(() => {
    process.stderr.write('the database does not answer\n');
    process.exit(1);
  }, CONNECT_TIMEOUT_MS);
  await db.start();
  clearTimeout(deadline);
  try {
    return await work(context);
  } finally {
    await lifecycle.stop();
  }
}
