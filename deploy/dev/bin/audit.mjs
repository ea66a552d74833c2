import { spawnSync } from 'node:child_process';
import { fail, root } from './prepare.mjs';

// Reports known vulnerabilities of production dependencies, from npm's configured registry: fails from "high" on. Ends
// with 3 when the registry answers no audits: unchecked dependencies are neither good nor bad.
const NOT_CHECKED = 3;
const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--offline=false'], {
  cwd: root,
  encoding: 'utf8',
});
if (error) fail(`npm: ${error.message}`);

const { metadata, vulnerabilities, statusCode, message } = parse(stdout);
if (!metadata) {
  console.log(`Not checked: the registry answers no audits (${statusCode ?? message ?? 'no answer'}).`);
  process.exit(NOT_CHECKED);
}
const grave = Object.values(vulnerabilities).filter(({ severity }) => ['high', 'critical'].includes(severity));
for (const { name, severity, via } of grave) {
  const causes = via.map((cause) => (typeof cause === 'string' ? `by ${cause}` : `${cause.title} ${cause.url}`));
  console.log(`${severity}: ${name}: ${causes.join('; ')}`);
}
const { total } = metadata.vulnerabilities;
console.log(
  `${metadata.dependencies.prod} packages, known weaknesses: ${total}, ${grave.length} of them high or critical`,
);
process.exit(grave.length > 0 ? 1 : 0);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
