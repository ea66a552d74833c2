import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '@waymark/kernel/process/metrics';
import { ROOT } from '@waymark/launcher/process-table';
import { DEPLOYMENTS } from '../../images/test/process-facts.js';
import { firesForFailures } from './failures-over-time.js';
import { metricsInCode } from './metrics-in-code.js';
import { Overlay } from './overlay.js';
import { readExpression } from './promql.js';

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
/** Series of Prometheus itself, of kube-state-metrics, of the kubelet and of RabbitMQ, with the labels that we use. */
const OTHER_SERIES = {
  up: [],
  kube_deployment_spec_replicas: ['deployment'],
  kube_deployment_status_replicas_available: ['deployment'],
  kube_statefulset_replicas: ['statefulset'],
  kube_statefulset_status_replicas_ready: ['statefulset'],
  kubelet_volume_stats_available_bytes: ['persistentvolumeclaim'],
  kubelet_volume_stats_capacity_bytes: ['persistentvolumeclaim'],
  rabbitmq_detailed_queue_consumers: ['vhost', 'queue'],
  rabbitmq_disk_space_available_bytes: [],
  rabbitmq_disk_space_available_limit_bytes: [],
  rabbitmq_process_resident_memory_bytes: [],
  rabbitmq_resident_memory_limit_bytes: [],
};
/** Labels that Prometheus adds to those of a process. */
const ADDED_LABELS = ['namespace', 'pod', 'job', 'service', 'instance'];

interface Recording {
  record: string;
  expr: string;
}

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

/** The value, plain or formatted: as a duration, as a percentage, in thousands. */
const VALUE = /\{\{ \$value( \| humanize(Duration|Percentage|1024)?)? \}\}/;
/** Their value says nothing. */
const WITHOUT_VALUE = ['WaymarkServiceGone', 'WaymarkWatchdog'];

/** The expression of the watchdog. */
const ALWAYS = 'vector(1)';

/** The labels of the result: those that it is grouped by, or those that every series of a process has. */
function keptLabels(expr: string): string[] {
  const { metrics } = readExpression(expr);
  const others = metrics.flatMap((metric) => OTHER_SERIES[metric as keyof typeof OTHER_SERIES] ?? []);
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map(([, labels = '']) => labels.split(/,\s*/));
  return groups.length > 0 ? [...groups.flat(), ...others] : [...ADDED_LABELS, ...others];
}

const known = new Map([
  ...metricsInCode(),
  ...Object.entries(OTHER_SERIES).map(([name, labels]) => [name, new Set<string>(labels)] as const),
]);

/** Series of our own rules; those that an alert compares keep the namespace alone. */
function addRecorded(recordings: Recording[]): void {
  for (const { record } of recordings) known.set(record, new Set());
}

/** Returns the series and labels of an expression that no process exposes. */
function strangersIn(text: string): string[] {
  const { isValid, metrics, labels } = readExpression(text);
  if (!isValid || (metrics.length === 0 && text !== ALWAYS)) return [`not PromQL: ${text}`];
  const having = metrics.flatMap((metric) => [...(known.get(metric) ?? [])]);
  return [
    ...metrics.filter((metric) => !known.has(metric)),
    ...labels.filter((label) => ![...having, ...ADDED_LABELS].includes(label)),
  ];
}

describe.each(DEPLOYMENTS)('in the overlay %s', (deployment) => {
  let overlay: Overlay;
  let alerts: Alert[];
  let recordings: Recording[];
  beforeAll(async () => {
    overlay = await Overlay.build(deployment);
    const groups = overlay.ofKind('PrometheusRule').flatMap(({ spec }) => spec.groups);
    const rules = groups.flatMap(({ rules }: any) => rules as (Alert | Recording)[]);
    alerts = rules.filter((rule): rule is Alert => 'alert' in rule);
    recordings = rules.filter((rule): rule is Recording => 'record' in rule);
    addRecorded(recordings);
  });

  test('Prometheus finds every process at its port for the operator', () => {
    const { selector, endpoints } = overlay.named('ServiceMonitor', 'waymark').spec;
    const service = overlay.named('Service', 'waymark-metrics');
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    for (const { spec } of [...overlay.workloads, ...overlay.servers])
      expect(spec.template.metadata.labels).toMatchObject(service.spec.selector);
    expect(service.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
    expect(service.spec.ports).toEqual([{ name: 'ops', port: 9090, targetPort: 'ops' }]);
    expect(endpoints).toEqual([{ port: 'ops', path: '/metrics', interval: '15s', honorLabels: true }]);
  });

  test('every alert asks for series and labels that the processes have', () => {
    expect(alerts.length).toBeGreaterThan(10);
    const asked = [
      ...alerts.map(({ alert, expr }) => [alert, expr]),
      ...recordings.map(({ record, expr }) => [record, expr]),
    ];
    expect(asked.flatMap(([name, expr]) => strangersIn(expr!).map((stranger) => `${name}: ${stranger}`))).toEqual([]);
  });

  test('the absence of every service is an alert, in this installation alone', () => {
    const { namespace } = overlay.named('PrometheusRule', 'waymark-presence').metadata;
    const gone = alerts.filter(({ alert }) => alert === 'WaymarkServiceGone').map(({ expr }) => expr);
    const names = overlay.workloads.map(({ metadata }) => metadata.name);
    const absences = names.map((name) => `absent(waymark_build_info{namespace="${namespace}", service="${name}"})`);
    expect(gone.sort()).toEqual(absences.sort());
  });

  test('every alert has a severity, a sentence, the current value, and its part of the runbook', () => {
    const runbook = readFileSync(join(ROOT, 'docs/operations/runbook.md'), 'utf8');
    const headings = [...runbook.matchAll(/^## (Waymark\w+)$/gm)].map(([, heading]) => heading);
    const base = overlay.named('PrometheusRule', 'waymark').metadata.annotations!['waymark/runbook']!;
    expect(new URL(base).protocol).toBe('https:');
    for (const { alert, labels, annotations } of alerts) {
      expect(alert === 'WaymarkWatchdog' ? ['none'] : ['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      if (!WITHOUT_VALUE.includes(alert))
        expect([alert, annotations.description]).toEqual([alert, expect.stringMatching(VALUE)]);
      expect(annotations.runbook_url).toBe(`${base}#${alert.toLowerCase()}`);
    }
    expect(headings).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
  });

  test('the text of an alert names only labels that its expression keeps', () => {
    for (const { alert, expr, annotations } of alerts) {
      const named = [...annotations.description.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      const kept = keptLabels(expr);
      expect([alert, ...named.filter((label) => !kept.includes(label))]).toEqual([alert]);
    }
  });

  test('background work that fails in each of its rounds is reported, however slow it is', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'WaymarkBackgroundWorkFailing')!;
    expect([1 / 6, 1, 10].map((minutes) => firesForFailures(expr, minutes))).toEqual([true, true, true]);
    expect(firesForFailures(expr, 60)).toBe(false);
  });

  test('a scan that is lost, or about to be, pages the operator', () => {
    const critical = alerts.filter(({ labels }) => labels.severity === 'critical').map(({ expr }) => expr);
    for (const metric of [
      'scans_unrecorded_total',
      'spool_corrupt_records_total',
      'spool_bytes',
      'spool_oldest_seconds',
    ])
      expect(critical.some((expr) => expr.includes(`waymark_${metric}`))).toBe(true);
  });

  test('a spool that fills is reported as a share of the limit that its redirect has', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'WaymarkSpoolFilling')!;
    expect(expr).toContain('waymark_spool_bytes / waymark_spool_max_bytes)');
  });

  test('every panel of the dashboard asks for series that the processes have', () => {
    const dashboard = JSON.parse(overlay.named('ConfigMap', 'waymark-dashboard').data!['waymark.json']!);
    const targets = dashboard.panels.flatMap(({ title, targets }: any) =>
      targets.map(({ expr }: any) => [title, expr]),
    );
    expect(targets.length).toBeGreaterThan(15);
    // Grafana puts these in before it asks.
    const asked = targets.map(([title, expr]: string[]) => [title, expr!.replaceAll('$__rate_interval', '5m')]);
    expect(asked.flatMap(([title, expr]: string[]) => strangersIn(expr!).map((each) => `${title}: ${each}`))).toEqual(
      [],
    );
  });
});

test('every process tells which version of Waymark it is', async () => {
  const text = await new Metrics('auth').registry.metrics();
  expect(text).toContain(`waymark_build_info{version="${VERSION}",service="auth"} 1`);
});

test.each([
  ['sum by (le) (rate(waymark_visit_seconds_bucket[5m]))', []],
  ['rate(waymark_visit_second_bucket[5m])', ['waymark_visit_second_bucket']],
  ['sum by (kue) (waymark_messages_consumed_total)', ['kue']],
  ['sum(waymark_spool_bytes', ['not PromQL: sum(waymark_spool_bytes']],
])('%s is told apart', (expr, strangers) => {
  expect(strangersIn(expr)).toEqual(strangers);
});
