import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianRoot, whyNoDebianRoot, type DebianRoot } from '@waymark/stack/debian-root';

const run = promisify(execFile);

/** Its files alone: the package installed on this machine would start a server. */
const PROMETHEUS: DebianRoot = { name: 'prometheus-1', variant: 'extract', packages: ['prometheus'] };
const TIMEOUT_MS = 300_000;

/** What happens to an installation, and the alerts that fire then. */
export interface Scenario {
  name: string;
  /** The values of each series, one a minute, in promtool's notation. */
  series: Record<string, string>;
  minutes: number;
  firing: string[];
}

/** Evaluates the rules over each scenario. @returns the differences; empty if exactly the expected alerts fire */
export async function testRules(groups: unknown[], scenarios: readonly Scenario[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-rules-'));
  const write = (file: string, content: unknown) => writeFileSync(join(folder, file), JSON.stringify(content));
  try {
    write('rules.json', { groups });
    write('tests.json', { rule_files: ['rules.json'], evaluation_interval: '1m', tests: scenarios.map(testOf) });
    await run(await findPromtool(), ['test', 'rules', 'tests.json'], { cwd: folder, timeout: TIMEOUT_MS });
    return '';
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return [stdout, stderr].filter(Boolean).join('\n') || String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const testOf = ({ name, series, minutes, firing }: Scenario) => ({
  name,
  interval: '1m',
  input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
  promql_expr_test: [
    {
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${minutes}m`,
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
});

/** promtool of this machine, or else Debian's from a private root. */
async function findPromtool(): Promise<string> {
  const isInstalled = await run('promtool', ['--version']).then(
    () => true,
    () => false,
  );
  if (isInstalled) return 'promtool';
  const noRoot = whyNoDebianRoot();
  if (noRoot) throw new Error(`No promtool: install Prometheus, or run as root on Debian or Ubuntu (${noRoot}).`);
  const root = await ensureDebianRoot(PROMETHEUS, (line) => process.stderr.write(`${line}\n`));
  return join(root, 'usr/bin/promtool');
}
