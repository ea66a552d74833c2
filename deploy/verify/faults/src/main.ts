import { FAULTS } from './faults.js';

/** Ten minutes: by its name only. */
const ALL = Object.keys(FAULTS).filter((name) => name !== 'soak');

/** Runs the named faults (or `all`), each on an installation of its own; prints one JSON line for each. */
async function main(names: string[]): Promise<void> {
  const chosen = names[0] === 'all' ? ALL : names;
  const unknown = chosen.filter((name) => !(name in FAULTS));
  if (chosen.length === 0 || unknown.length > 0) {
    process.stderr.write(`usage: npm run faults -- all | ${Object.keys(FAULTS).join(' | ')}\n`);
    process.exitCode = 2;
    return;
  }
  for (const name of chosen) {
    process.stderr.write(`${name}\n`);
    const report = await FAULTS[name]!();
    process.stdout.write(`${JSON.stringify({ fault: name, ...report })}\n`);
    if (!report.passed) process.exitCode = 1;
  }
}

void main(process.argv.slice(2));
