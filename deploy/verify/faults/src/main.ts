import { Argument, Command } from 'commander';
import { FAULTS } from './faults.js';

const EXIT_USAGE = 2;
/** Ten minutes: by its name only. */
const LONG = 'soak';

const choices = ['all', ...Object.keys(FAULTS)];
new Command('npm run faults --')
  .description('Breaks an installation in the named ways, each on one of its own; prints one JSON line for each.')
  .addArgument(new Argument('<names...>', `faults, or all, which is all but ${LONG}`).choices(choices))
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_USAGE))
  .action(runFaults)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error);
    // The load of a fault that failed may still be going on.
    process.exit(1);
  });

async function runFaults(names: string[]): Promise<void> {
  const chosen = names.includes('all') ? Object.keys(FAULTS).filter((name) => name !== LONG) : names;
  for (const name of chosen) {
    process.stderr.write(`${name}\n`);
    const report = await FAULTS[name]!();
    process.stdout.write(`${JSON.stringify({ fault: name, ...report })}\n`);
    if (!report.passed) process.exitCode = 1;
  }
}
