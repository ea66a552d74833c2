import { CommanderError } from 'commander';
import type { CommandService } from '@waymark/contract/operator-commands';
import { AppError } from '../errors.js';
import { ConfigError } from '../process/config.js';
import { UsageError, type BoundCommand, type BoundCommands } from './command.js';
import { factsOf, parseOptions, typedFlag } from './options.js';
import { createProgram } from './program.js';
import { askSecret, askYesOrNo, canAsk, Interrupted, readSecret } from './terminal.js';
import { toText } from './text.js';

const EXIT = { failed: 1, usage: 2, config: 78, interrupted: 130 } as const;

/** Runs the command that the process was started for. Results go to stdout, everything else to stderr. */
export function runCommandLine(service: CommandService | null, commands: BoundCommands): void {
  // The reader has seen enough, e.g. `head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const program = createProgram(service, commands, runCommand);
  program.parseAsync(withoutHelpWord(process.argv.slice(2)), { from: 'user' }).catch((error: unknown) => {
    process.exitCode = exitCodeOf(error);
    if (!(error instanceof CommanderError)) process.stderr.write(`error: ${messageOf(error)}\n`);
  });
}

/** `help user create` is `user create --help`. */
function withoutHelpWord([first, ...rest]: string[]): string[] {
  if (first === undefined) return [];
  return first === 'help' ? [...rest, '--help'] : [first, ...rest];
}

async function runCommand(
  name: string,
  { options: schema, confirm, needsConfirmation, run }: BoundCommand,
  { json, yes, ...typed }: Record<string, unknown>,
): Promise<void> {
  try {
    const options = parseOptions(schema, { ...typed, ...(await readSecrets(schema, typed)) });
    if (confirm && yes !== true && options['dryRun'] !== true && (await needsConfirmation(options)))
      await checkConfirmed(await confirm(options));
    const result = await run(options);
    if (result !== undefined) process.stdout.write(`${json === true ? JSON.stringify(result) : toText(result)}\n`);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message} (see waymark-admin ${name} --help)`);
    throw error instanceof AppError ? withFlags(error, Object.keys(schema.shape), typed) : error;
  }
}

async function readSecrets(
  schema: BoundCommand['options'],
  typed: Record<string, unknown>,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const { key, flag, isSecret, isRequired } of factsOf(schema)) {
    if (!isSecret) continue;
    if (typed[key] !== undefined) {
      throw new UsageError(
        `${flag} takes no value: process lists and shell histories show arguments. Use ${flag}-prompt or ${flag}-stdin`,
      );
    }
    if (typed[`${key}Stdin`] === true) secrets[key] = await readSecret(flag);
    else if (typed[`${key}Prompt`] === true || isRequired) secrets[key] = await promptForSecret(key, flag);
  }
  return secrets;
}

async function promptForSecret(key: string, flag: string): Promise<string> {
  if (!canAsk()) throw new UsageError(`${flag}-prompt: there is no terminal to ask on: use ${flag}-stdin`);
  const entry = await askSecret(`${key}: `);
  const repeated = await askSecret(`${key} again: `);
  if (entry !== repeated) throw new UsageError(`${flag}-prompt: the two entries differ`);
  return entry;
}

async function checkConfirmed(consequence: string): Promise<void> {
  if (!canAsk()) throw new UsageError(`${consequence} There is no terminal to ask on: add --yes to confirm`);
  if (!(await askYesOrNo(`${consequence} Continue?`))) throw new Interrupted('cancelled: nothing was changed');
}

/** Names the options that an error of a feature is about. */
function withFlags({ message, details = {} }: AppError, keys: string[], typed: Record<string, unknown>): Error {
  const problems = Object.entries(details).map(
    ([field, messages]) => `${keys.includes(field) ? typedFlag(field, typed) : field}: ${String(messages)}`,
  );
  return new AppError('validation_failed', problems.length > 0 ? problems.join('; ') : message);
}

function exitCodeOf(error: unknown): number {
  // Help and the version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConfigError) return EXIT.config;
  return error instanceof Interrupted ? EXIT.interrupted : EXIT.failed;
}

function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return `bad configuration: ${error.message}`;
  const isExpected = error instanceof AppError || error instanceof UsageError || error instanceof Interrupted;
  if (!(error instanceof Error)) return String(error);
  const isTraced = ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
  if (!isExpected && isTraced) return error.stack ?? error.message;
  return error.message.replaceAll('\n', ' ');
}
