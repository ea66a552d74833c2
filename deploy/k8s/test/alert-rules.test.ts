import { healthyInstallation, type Series } from './healthy-installation.js';
import { Overlay } from './overlay.js';
import { readExpression } from './promql.js';
import { testRules, type Scenario } from './promtool.js';

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
}

interface Fault {
  name: string;
  firing: string[];
  /** The values of the series that begin so; `null` takes them away. */
  change: Record<string, string | null>;
  minutes?: number;
}

let groups: { rules: Rule[] }[];
beforeAll(async () => {
  const overlay = await Overlay.build('links');
  groups = overlay.ofKind('PrometheusRule').flatMap(({ spec }) => spec.groups as { rules: Rule[] }[]);
});

/** A counter that grows by `before` a minute for 170 minutes, and by `after` for 25 more. */
const thenFor = (before: number, after: number) => `0+${before}x169 ${170 * before}+${after}x25`;
const unavailable = (part: string) =>
  `waymark_visit_seconds_${part}{namespace="waymark-links", service="redirect", pod="redirect-0", outcome="unavailable"`;
const redirected = (part: string) =>
  `waymark_visit_seconds_${part}{namespace="waymark-links", service="redirect", pod="redirect-0", outcome="redirect"`;
const failedRequests =
  'waymark_http_request_duration_seconds_count{namespace="waymark-links", service="gateway", status="503"';
const SERVICE_GONE = 'WaymarkServiceGone';

const FAULTS: Fault[] = [
  {
    name: 'no visit gets a redirect',
    change: { [redirected('bucket')]: '0x60', [redirected('count')]: '0x60', [unavailable('count')]: '0+6000x60' },
    firing: ['WaymarkVisitsFailing', 'WaymarkVisitsBelowObjective'],
  },
  {
    name: '2 % of the visits have failed for 25 minutes, after three good hours',
    minutes: 195,
    change: { [unavailable('count')]: thenFor(0.6, 120) },
    firing: ['WaymarkVisitsFailing', 'WaymarkVisitsBelowObjective'],
  },
  {
    name: '0.4 % of the visits fail',
    change: { [unavailable('count')]: '0+24x60' },
    firing: ['WaymarkVisitsFailing', 'WaymarkVisitsBelowObjective'],
  },
  {
    name: '0.1 % of the visits fail',
    change: { [unavailable('count')]: '0+6x60' },
    firing: ['WaymarkVisitsBelowObjective'],
  },
  {
    name: 'one visit in a hundred takes longer than 300 ms',
    change: { [`${redirected('bucket')}, le="0.3"`]: '0+5940x60', [`${redirected('bucket')}, le="0.1"`]: '0+5940x60' },
    firing: ['WaymarkVisitsFailing', 'WaymarkVisitsBelowObjective'],
  },
  {
    name: 'one in fifty visits takes between 100 and 300 ms',
    change: { [`${redirected('bucket')}, le="0.1"`]: '0+5880x60' },
    firing: ['WaymarkRedirectSlow'],
  },
  {
    name: 'three visits of a small installation fail within an hour',
    change: { [redirected('bucket')]: '0+1x60', [redirected('count')]: '0+1x60', [unavailable('count')]: '0x30 3x30' },
    firing: [],
  },
  { name: '2 % of the requests fail', change: { [failedRequests]: '0+12x60' }, firing: ['WaymarkApiErrors', 'WaymarkApiBelowObjective'] }, // prettier-ignore
  { name: '0.8 % of the requests fail', change: { [failedRequests]: '0+5x60' }, firing: ['WaymarkApiErrors', 'WaymarkApiBelowObjective'] }, // prettier-ignore
  { name: '0.3 % of the requests fail', change: { [failedRequests]: '0+1.8x60' }, firing: ['WaymarkApiBelowObjective'] }, // prettier-ignore
  {
    name: 'stored scans wait for the warehouse for 45 s',
    change: { waymark_pending_scans_lag_seconds: '45x60' },
    firing: ['WaymarkFiguresLate', 'WaymarkFiguresBelowObjective'],
  },
  {
    name: 'scans are stored a minute late',
    change: { 'waymark_scan_age_seconds_bucket{namespace="waymark-links", service="analytics", le="1"': '0x60', 'waymark_scan_age_seconds_bucket{namespace="waymark-links", service="analytics", le="30"': '0x60' }, // prettier-ignore
    firing: ['WaymarkScansLate', 'WaymarkFiguresLate', 'WaymarkFiguresBelowObjective'],
  },
  {
    name: 'the warehouse stood still for two minutes of an hour',
    change: { waymark_pending_scans_lag_seconds: '1x29 40x1 1x9' },
    firing: ['WaymarkFiguresBelowObjective'],
  },
  {
    name: 'every target is gone',
    change: { 'up{job="waymark-metrics"': null, waymark_: null, process_: null, nodejs_: null },
    firing: [SERVICE_GONE],
  },
  { name: 'every process of one service is gone', change: { 'waymark_build_info{job="waymark-metrics", namespace="waymark-links", service="domain"': null }, firing: [SERVICE_GONE] }, // prettier-ignore
  {
    name: 'one of two processes is pending',
    change: {
      'waymark_build_info{job="waymark-metrics", namespace="waymark-links", service="resource", pod="resource-1"': null,
      'kube_deployment_status_replicas_available{namespace="waymark-links"': '1x60',
    },
    firing: ['WaymarkFewProcesses', 'WaymarkReplicasMissing'],
  },
  { name: 'one of two redirects is pending', change: { kube_statefulset_status_replicas_ready: '1x60' }, firing: ['WaymarkReplicasMissing'] }, // prettier-ignore
  { name: 'a volume is nearly full', change: { kubelet_volume_stats_available_bytes: '1000000000x60' }, firing: ['WaymarkVolumeFull'] }, // prettier-ignore
  {
    name: 'a message was parked some time ago',
    change: { 'waymark_queue_messages{namespace="waymark-links", queue="audit.entries.parked"': '0x10 1x50' },
    firing: ['WaymarkMessagesParked'],
  },
  { name: 'one queue has 5,000 messages', change: { 'waymark_queue_messages{namespace="waymark-links", queue="resource.scans"': '5000x60' }, firing: ['WaymarkQueueLong'] }, // prettier-ignore
  {
    name: 'the messages of one queue are minutes old',
    change: {
      'waymark_message_age_seconds_bucket{namespace="waymark-links", queue="redirect.targets", le="1"': '0x60',
    },
    firing: ['WaymarkMessagesLate'],
  },
  { name: 'work makes no progress for three minutes', change: { 'waymark_work_running_seconds{job="waymark-metrics", namespace="waymark-links", service="resource"': '180x60' }, firing: ['WaymarkWorkStuck'] }, // prettier-ignore
  { name: 'one queue has no consumer', change: { 'rabbitmq_detailed_queue_consumers{vhost="waymark-links", queue="waymark.webhook.events"': '0x60' }, firing: ['WaymarkQueueUnconsumed'] }, // prettier-ignore
  { name: "the broker's disk is nearly full", change: { rabbitmq_disk_space_available_bytes: '3000000000x60' }, firing: ['WaymarkBrokerDiskLow'] }, // prettier-ignore
  { name: "the broker's memory is nearly full", change: { rabbitmq_process_resident_memory_bytes: '550000000x60' }, firing: ['WaymarkBrokerMemoryHigh'] }, // prettier-ignore
];

function scenarioOf({ name, change, firing, minutes = 40 }: Fault): Scenario {
  const changes = Object.entries(change);
  const series: Series = {};
  for (const [each, values] of Object.entries(healthyInstallation(minutes))) {
    const changed = changes.find(([start]) => each.startsWith(start));
    const next = changed ? changed[1] : values;
    if (next !== null) series[each] = next;
  }
  return { name, series, minutes, firing: ['WaymarkWatchdog', ...firing] };
}

const metricOf = (series: string) => series.replace(/\{.*/, '');

test('a healthy installation has every series that the alerts ask for', () => {
  const rules = groups.flatMap((group) => group.rules);
  const existing = new Set([
    ...Object.keys(healthyInstallation(1)).map(metricOf),
    ...rules.flatMap(({ record }) => record ?? []),
  ]);
  const asked = rules.flatMap(({ expr }) => readExpression(expr).metrics);
  expect(asked.filter((metric) => !existing.has(metric))).toEqual([]);
});

test('a healthy installation is silent, but for the watchdog, for two hours', async () => {
  expect(await testRules(groups, [scenarioOf({ name: 'healthy', minutes: 120, change: {}, firing: [] })])).toBe('');
});

test('each fault changes a series, and fires exactly its alerts', async () => {
  for (const { name, change } of FAULTS) {
    const series = Object.keys(healthyInstallation(1));
    const unknown = Object.keys(change).filter((start) => !series.some((each) => each.startsWith(start)));
    expect([name, ...unknown]).toEqual([name]);
  }
  expect(await testRules(groups, FAULTS.map(scenarioOf))).toBe('');
});
