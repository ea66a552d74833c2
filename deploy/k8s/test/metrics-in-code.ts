import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '@waymark/kernel/process/metrics';
import { ROOT } from '@waymark/launcher/process-table';
import { PROCESSES } from '../../images/test/process-facts.js';

const DEFINITION =
  /\b(counter|gauge|labelledGauge|histogram|ageHistogram|fastHistogram)\(\s*'(\w+)',\s*'[^']*'(?:,\s*(?:\[([^\]]*)\]|\{\s*label: ('\w+')))?/g;

/** The labels of metrics that `Metrics` defines for itself. */
const OWN_LABELS: Record<string, string[]> = {
  waymark_build_info: ['version'],
  waymark_damaged_rows: ['collection'],
  waymark_work_running_seconds: ['work'],
};

/** Every time series that a process exposes, with its labels: those of our code, and those of the Node.js runtime. */
export function metricsInCode(): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const { name, type, labels } of [...ownMetrics(), ...runtimeMetrics()]) {
    const names = /histogram/i.test(type) ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name];
    for (const each of names) series.set(each, new Set([...labels, ...(each.endsWith('_bucket') ? ['le'] : [])]));
  }
  return series;
}

function ownMetrics() {
  const folders = ['shared/kernel', ...PROCESSES.map(({ workspace }) => workspace)].map((folder) =>
    join(ROOT, folder, 'src'),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(DEFINITION)].map(([, type = '', name = '', list = '', label = '']) => ({
      name: `waymark_${name}`,
      type,
      labels: [...(list || label).matchAll(/'(\w+)'/g)].map(([, each = '']) => each),
    })),
  );
}

function runtimeMetrics() {
  const { registry } = new Metrics('test');
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => !name.startsWith('waymark_') || name in OWN_LABELS)
    .map(({ name, type }) => ({ name, type: String(type), labels: OWN_LABELS[name] ?? [] }));
}
