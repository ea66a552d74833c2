import { parseArgs } from 'node:util';
import { ConfigError } from '@waymark/shared/kernel/config';
import { AppError } from '@waymark/shared/kernel/errors';
import { COMMANDS } from './commands.js';
import { adminTargets } from './context.js';

/** Says what is wrong with the call itself. */
class UsageError extends Error {}

async function main(args: string[]): Promise<void> {
  const words = args.filter(
    (arg, index) => !arg.startsWith('--') && args.slice(0, index).every((a) => !a.startsWith('--')),
  );
  const name = words.join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`unknown command '${name}'\n${usage()}`);
  const input = optionsOf(args.slice(words.length), Object.keys(command.options.shape));
  const options = command.options.safeParse(input);
  if (!options.success) {
    const problems = options.error.issues.map((issue) => `--${issue.path.join('.')}: ${issue.message}`);
    throw new UsageError(`${problems.join('; ')}\nusage: ${name} ${command.usage}`);
  }
  const result = await command.run(adminTargets(process.env), options.data);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** `--json` is understood and changes nothing: the answer is always JSON. */
function optionsOf(args: string[], names: string[]): Record<string, unknown> {
  const options = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' }]),
    ['json', { type: 'boolean' }],
  ]) as Record<string, { type: 'string' | 'boolean' }>;
  try {
    return { ...parseArgs({ args, options, strict: true }).values };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function usage(): string {
  return ['commands:', ...Object.entries(COMMANDS).map(([name, { usage: of }]) => `  ${name} ${of}`)].join('\n');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});

function messageOf(error: unknown): string {
  if (error instanceof UsageError) return error.message;
  if (error instanceof ConfigError) return `bad configuration: ${error.message}`;
  if (error instanceof AppError) {
    const details = Object.entries(error.details ?? {}).map(([field, messages]) => `${field}: ${String(messages)}`);
    return details.length > 0 ? details.join('; ') : error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
