import { Command } from 'commander';
import { BENCHMARKS } from './benchmarks.js';

const EXIT_USAGE = 2;

const program = new Command('npm run bench --')
  .description('Measures a service against a baseline. Exits with 1 when a target is missed.')
  .helpCommand(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE));
for (const [name, { summary, options, run }] of Object.entries(BENCHMARKS)) {
  const command = program.command(name).summary(summary).description(`Measures ${summary}.`);
  for (const option of options) command.addOption(option);
  command.action(async (values: object) => process.exit((await run(values as never)) ? 0 : 1));
}
program.parseAsync().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
