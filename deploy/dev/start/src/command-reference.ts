import { COMMANDS as analytics } from '@waymark/analytics/admin/commands';
import { COMMANDS as audit } from '@waymark/audit/admin/commands';
import { COMMANDS as auth } from '@waymark/auth/admin/commands';
import { COMMANDS as domain } from '@waymark/domain/admin/commands';
import { PARKED_COMMANDS } from '@waymark/kernel/command-line/parked-commands';
import type { Commands } from '@waymark/kernel/command-line/command';
import { factsOf, type OptionFacts } from '@waymark/kernel/command-line/options';
import { COMMANDS as redirect } from '@waymark/redirect/admin/commands';
import { COMMANDS as resource } from '@waymark/resource/admin/commands';

/** The commands by the service whose container has them; `null` for those that every container has. */
export const COMMANDS_BY_SERVICE: [service: string | null, commands: Commands<never>][] = [
  ['auth', auth],
  ['resource', resource],
  ['domain', domain],
  ['redirect', redirect],
  ['analytics', analytics],
  ['audit', audit],
  [null, PARKED_COMMANDS],
];

const HEAD = `# Commands of the operator

Generated from the definitions by \`npm run commands:reference\`; a test compares them.

\`waymark-admin\` is in every container; each command runs in a container of its service, which the headings below name.

| where          | how                                                                    |
| -------------- | ---------------------------------------------------------------------- |
| Kubernetes     | \`kubectl -n waymark-links exec deploy/auth -- waymark-admin user list\` |
| Docker Compose | \`docker compose exec auth waymark-admin user list\`                     |
| a work tree    | \`npm run --silent admin -- user list\`, for every service               |

A prompt needs a terminal: \`kubectl exec -it\`. \`docker compose exec\` has one, and needs \`-T\` to read a password from a pipe.

Every command takes \`--help\` and \`--json\`, which prints the result as JSON for programs. The result goes to the standard output, errors and
questions to the standard error. A table ends with the number of rows and pages. \`NO_COLOR\` switches bold titles off. \`LOG_LEVEL=debug\` adds the stack to an unexpected error.

| exit code | meaning                                                             |
| --------- | ------------------------------------------------------------------- |
| 0         | done                                                                |
| 1         | failed, or a check found a difference                               |
| 2         | wrong call: one line names the option; or a confirmation is missing |
| 78        | wrong configuration: one line names the variable                    |
| 130       | Ctrl-C, or no to a question: nothing was changed                    |

Passwords are never arguments, which process lists and shell histories show: \`--password-prompt\` asks for one, \`--password-stdin\` reads
the first line of the standard input. A command with \`--yes\` asks before it does what cannot be undone; without a terminal it needs \`--yes\`.
`;

/** Returns the text of docs/operations/commands.md. */
export function commandReference(): string {
  const sections = COMMANDS_BY_SERVICE.map(
    ([service, commands]) =>
      `## ${service === null ? 'Every container' : `Containers of ${service}`}\n\n${describeAll(commands)}`,
  );
  return [HEAD, ...sections].join('\n');
}

const describeAll = (commands: Commands<never>): string =>
  Object.entries(commands)
    .map(([name, { summary, options, confirm }]) => {
      const lines = [
        ...factsOf(options).flatMap(describeOption),
        ...(confirm ? ['- `--yes`: does not ask for confirmation'] : []),
      ];
      return (
        [`### ${name}`, `${summary}.`, ...(lines.length > 0 ? [lines.join('\n')] : []), ''].join('\n\n').trimEnd() +
        '\n'
      );
    })
    .join('\n');

function describeOption({
  flag,
  value,
  description,
  choices,
  isRequired,
  isSecret,
  isArgument,
  defaultText,
}: OptionFacts): string[] {
  const flags = isSecret
    ? [`${flag}-prompt`, `${flag}-stdin`]
    : [value === null || isArgument ? flag : `${flag} <${value}>`];
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(choices ? [`one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
    ...(defaultText === null ? [] : [`default ${defaultText}`]),
  ];
  const names = flags.map((name) => `\`${name}\``).join(' or ');
  return [`- ${names}: ${description}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`];
}
