import { WORK_QUEUES } from '@waymark/contract/queues';

/** One value for each minute. */
export type Series = Record<string, string>;

const NAMESPACE = 'namespace="waymark-links"';
const SERVICES = ['gateway', 'auth', 'resource', 'redirect', 'analytics', 'webhook', 'domain', 'audit'];

/** Gauges and counters of every process that stay at these values. */
const EVERY_PROCESS = {
  waymark_build_info: 1,
  process_start_time_seconds: 1000,
  nodejs_eventloop_lag_p99_seconds: 0.05,
  waymark_broker_up: 1,
  waymark_broker_blocked: 0,
  waymark_broker_channels_closed: 0,
  waymark_broker_topology_complete: 1,
  waymark_outbox_age_seconds: 0,
  waymark_outbox_set_aside: 0,
  waymark_background_failures_total: 0,
  waymark_connections_refused_total: 0,
  waymark_damaged_rows: 0,
  waymark_work_running_seconds: 0.2,
};
const ONE_SERVICE: Record<string, Record<string, number>> = {
  redirect: {
    waymark_scans_unrecorded_total: 0,
    waymark_spool_corrupt_records_total: 0,
    waymark_spool_sync_failures_total: 0,
    waymark_spool_oldest_seconds: 0.05,
    waymark_spool_bytes: 5000,
    waymark_spool_max_bytes: 1e10,
  },
  analytics: {
    waymark_pending_scans_lag_seconds: 1,
    waymark_pending_conversions_lag_seconds: 1,
    waymark_pending_scans_set_aside: 0,
    waymark_pending_conversions_set_aside: 0,
    waymark_links_set_aside: 0,
    waymark_pending_conversions_seconds: 0,
  },
  gateway: { waymark_authorize_failures_total: 0, waymark_hidden_client_addresses_total: 0 },
  auth: { waymark_sign_ins_refused_total: 0, waymark_erasure_open_seconds: 0 },
  webhook: {
    waymark_webhook_oldest_due_seconds: 0,
    waymark_webhook_deliveries_dropped_total: 0,
    waymark_webhook_endpoints_under_missing_keys: 0,
  },
  domain: { waymark_domain_check_overdue_seconds: 0 },
  resource: { waymark_domain_removal_seconds: 0 },
  audit: { waymark_audit_appends_blocked_total: 0 },
};

/** Every series that the rules ask for, of an installation in which all is well, for some minutes. */
export function healthyInstallation(minutes: number): Series {
  const same = (value: number) => `${value}x${minutes}`;
  const growing = (perMinute: number) => `0+${perMinute}x${minutes}`;
  const series: Series = {};
  for (const service of SERVICES) {
    for (const pod of [`${service}-0`, `${service}-1`]) {
      const labels = `${NAMESPACE}, service="${service}", pod="${pod}"`;
      const ofPrometheus = `job="waymark-metrics", ${NAMESPACE}`;
      series[`up{${ofPrometheus}, service="waymark-metrics", pod="${pod}"}`] = same(1);
      for (const [name, value] of Object.entries({ ...EVERY_PROCESS, ...ONE_SERVICE[service] }))
        series[`${name}{job="waymark-metrics", ${labels}}`] = same(value);
    }
  }
  const visits = `${NAMESPACE}, service="redirect", pod="redirect-0"`;
  Object.assign(series, {
    ...histogram(`waymark_visit_seconds|${visits}, outcome="redirect"`, { 0.1: 5999, 0.3: 6000 }, growing),
    ...histogram(`waymark_visit_seconds|${visits}, outcome="gone"`, { 0.1: 5, 0.3: 5 }, growing),
    ...histogram(`waymark_visit_seconds|${visits}, outcome="not_found"`, { 0.1: 60, 0.3: 60 }, growing),
    ...histogram(`waymark_visit_seconds|${visits}, outcome="unavailable"`, { 0.1: 0, 0.3: 0.6 }, growing),
    ...histogram(`waymark_scan_age_seconds|${NAMESPACE}, service="analytics"`, { 1: 60, 30: 60 }, growing),
  });
  const api = (status: number) =>
    `waymark_http_request_duration_seconds|${NAMESPACE}, service="gateway", status="${status}"`;
  Object.assign(series, histogram(api(200), { 0.5: 600, 1: 600 }, growing));
  Object.assign(series, histogram(api(503), { 0.5: 0.05, 1: 0.05 }, growing));
  for (const queue of WORK_QUEUES) {
    const labels = `${NAMESPACE}, queue="${queue}"`;
    Object.assign(series, histogram(`waymark_message_age_seconds|${labels}`, { 1: 60, 300: 60 }, growing));
    series[`waymark_messages_consumed_total{${labels}, outcome="done"}`] = growing(60);
    series[`waymark_messages_consumed_total{${labels}, outcome="refused"}`] = same(0);
    series[`waymark_queue_messages{${labels}}`] = same(3);
    series[`waymark_queue_messages{${NAMESPACE}, queue="${queue}.parked"}`] = same(0);
    series[`rabbitmq_detailed_queue_consumers{vhost="waymark-links", queue="waymark.${queue}"}`] = same(2);
    series[`rabbitmq_detailed_queue_consumers{vhost="waymark-links", queue="waymark.${queue}.parked"}`] = same(0);
  }
  return { ...series, ...platform(same) };
}

/** What the cluster and the broker tell. */
const platform = (same: (value: number) => string): Series => ({
  [`kube_deployment_spec_replicas{${NAMESPACE}, deployment="resource"}`]: same(2),
  [`kube_deployment_status_replicas_available{${NAMESPACE}, deployment="resource"}`]: same(2),
  [`kube_statefulset_replicas{${NAMESPACE}, statefulset="redirect"}`]: same(2),
  [`kube_statefulset_status_replicas_ready{${NAMESPACE}, statefulset="redirect"}`]: same(2),
  'kube_deployment_spec_replicas{namespace="another", deployment="not-ours"}': same(2),
  'kube_deployment_status_replicas_available{namespace="another", deployment="not-ours"}': same(0),
  [`kubelet_volume_stats_available_bytes{${NAMESPACE}, persistentvolumeclaim="data-clickhouse-0"}`]: same(12e9),
  [`kubelet_volume_stats_capacity_bytes{${NAMESPACE}, persistentvolumeclaim="data-clickhouse-0"}`]: same(20e9),
  'rabbitmq_disk_space_available_bytes{instance="rabbit-0"}': same(30e9),
  'rabbitmq_disk_space_available_limit_bytes{instance="rabbit-0"}': same(2e9),
  'rabbitmq_process_resident_memory_bytes{instance="rabbit-0"}': same(2e8),
  'rabbitmq_resident_memory_limit_bytes{instance="rabbit-0"}': same(6e8),
});

/** @param perMinute observations a minute of each bucket; the last one has all of them */
function histogram(
  nameAndLabels: string,
  perMinute: Record<number, number>,
  growing: (perMinute: number) => string,
): Series {
  const [name = '', labels = ''] = nameAndLabels.split('|');
  const buckets = Object.entries(perMinute).map(([le, count]) => [
    `${name}_bucket{${labels}, le="${le}"}`,
    growing(count),
  ]);
  const all = growing(Object.values(perMinute).at(-1)!);
  return {
    ...(Object.fromEntries(buckets) as Series),
    [`${name}_bucket{${labels}, le="+Inf"}`]: all,
    [`${name}_count{${labels}}`]: all,
  };
}
