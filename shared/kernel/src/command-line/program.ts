import { styleText } from 'node:util';
import { Command as Program } from 'commander';
import { COMMAND_GROUPS, type CommandService } from '@waymark/contract/operator-commands';
import { UsageError, type BoundCommand, type BoundCommands } from './command.js';
import { VERSION } from '../version.js';
import { commandOptions, factsOf } from './options.js';

const EXIT_CODES = `
Exit codes:
  0   done
  1   failed, or a check found a difference
  2   wrong call
  78  wrong configuration`;

/** Runs a command with the options as they were typed. */
export type Runner = (name: string, command: BoundCommand, typed: Record<string, unknown>) => Promise<void>;

/**
 * Builds the program of one service.
 * @param service `null` for a program that has the commands of every service's container alone
 */
export function createProgram(service: CommandService | null, commands: BoundCommands, run: Runner): Program {
  const program = new Program('waymark-admin')
    .description("The operator's command line of Waymark")
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({
      styleTitle: (title) => styleText('bold', title, { validateStream: false }),
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({ outputError: (message, write) => write(`${message.trimEnd().replaceAll('\n', ' ')}\n`) })
    .exitOverride();
  for (const [name, command] of Object.entries(commands)) addCommand(program, { name, command, run });
  for (const [name, group] of Object.entries(COMMAND_GROUPS)) {
    if (group.service !== null && group.service !== service) addForeignGroup(program, name, group.service);
  }
  program.addHelpText('after', EXIT_CODES);
  return program;
}

function addCommand(
  program: Program,
  { name, command, run }: { name: string; command: BoundCommand; run: Runner },
): void {
  const words = name.split(' ');
  const parent = words.slice(0, -1).reduce(groupIn, program);
  const leaf = parent.command(words.at(-1)!).summary(command.summary).description(`${command.summary}.`);
  const facts = factsOf(command.options);
  const argument = facts.find(({ isArgument }) => isArgument);
  if (argument) leaf.argument(`[${argument.key}]`, argument.description);
  for (const option of facts.filter((fact) => fact !== argument).flatMap(commandOptions)) leaf.addOption(option);
  if (command.confirm) leaf.option('-y, --yes', 'do not ask for confirmation');
  leaf.option('--json', 'print the result as JSON');
  leaf.action((...values: unknown[]) => {
    // The options follow the arguments.
    const [typed, given] = argument ? [values[1], { [argument.key]: values[0] }] : [values[0], {}];
    return run(name, command, { ...(typed as Record<string, unknown>), ...given });
  });
}

/** Returns the group of this name, and creates it for its first command. */
function groupIn(parent: Program, word: string): Program {
  const known = parent.commands.find((command) => command.name() === word);
  return (
    known ??
    parent
      .command(word)
      .description(COMMAND_GROUPS[word]?.summary ?? '')
      .helpCommand(false)
  );
}

/** Commands of another service say where they run, unless the launcher of the local stack chooses the service. */
function addForeignGroup(program: Program, name: string, service: CommandService): void {
  const isRouted = process.env['WAYMARK_ADMIN_ROUTED'] !== undefined;
  const group = name
    .split(' ')
    .reduce(groupIn, program)
    .description(COMMAND_GROUPS[name]!.summary)
    .argument('[arguments...]')
    .allowUnknownOption()
    .action(() => {
      throw new UsageError(
        `'${name}' is a command of ${service}: run waymark-admin in a container of ${service}, e.g. ` +
          `kubectl exec ${workloadOf(service)} -- waymark-admin ${name} --help`,
      );
    });
  // A part of the group is here, and has its help here.
  if (group.commands.length > 0) return;
  group.helpOption(false);
  if (!isRouted) group.helpGroup(`Commands in the containers of ${service}:`);
}

const workloadOf = (service: CommandService): string =>
  service === 'redirect' ? 'statefulset/redirect' : `deploy/${service}`;
