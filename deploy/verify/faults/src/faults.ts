import type { Report } from './harness/report.js';
import * as analytics from './scenarios/analytics.js';
import * as audit from './scenarios/audit.js';
import { blockUnderLoad } from './scenarios/blocking.js';
import * as broker from './scenarios/broker.js';
import * as content from './scenarios/content.js';
import * as database from './scenarios/database.js';
import * as domain from './scenarios/domain.js';
import { eraseKill, eraseUserKill } from './scenarios/erasure.js';
import * as gateway from './scenarios/gateway.js';
import { heavyTenant } from './scenarios/heavy-tenant.js';
import { hostileClients } from './scenarios/hostile-clients.js';
import * as imports from './scenarios/imports.js';
import { poison } from './scenarios/poison.js';
import * as processes from './scenarios/processes.js';
import * as redirect from './scenarios/redirect.js';
import * as restore from './scenarios/restore.js';
import { soak } from './scenarios/soak.js';
import * as warehouse from './scenarios/warehouse.js';
import * as webhook from './scenarios/webhook.js';

/** Every fault by its name on the command line. */
export const FAULTS: Readonly<Record<string, () => Promise<Report>>> = {
  'redirect-kill': redirect.redirectKill,
  'block-under-load': blockUnderLoad,
  'redirect-kill-broker-down': redirect.redirectKillWhileBrokerDown,
  'broker-down': broker.brokerDown,
  'broker-kill': broker.brokerKill,
  'broker-frozen': broker.brokerFrozen,
  'broker-alarm': broker.brokerAlarm,
  'broker-alarm-backlog': broker.brokerAlarmByBacklog,
  'broker-node-kill': broker.brokerNodeKill,
  'queue-full': broker.queueFull,
  'queue-lost': broker.queueLost,
  'connection-storm': broker.connectionStorm,
  partition: broker.partition,
  'consumer-kill': processes.consumerKill,
  'consumer-frozen': processes.consumerFrozen,
  poison,
  restore: restore.restore,
  'analytics-kill': analytics.analyticsKill,
  'scan-replay': analytics.scanReplay,
  'loader-kill': warehouse.loaderKill,
  'clickhouse-kill': warehouse.clickHouseKill,
  'clickhouse-frozen': warehouse.clickHouseFrozen,
  'clickhouse-slow': warehouse.clickHouseSlow,
  'clickhouse-wiped': warehouse.clickHouseWiped,
  'stop-all': processes.stopAll,
  'spool-disk-full': redirect.spoolDiskFull,
  'spool-damaged': redirect.spoolDamaged,
  'loop-block': processes.loopBlock,
  'hostile-clients': hostileClients,
  'heavy-tenant': heavyTenant,
  'import-kill': imports.importKill,
  'erase-kill': eraseKill,
  'erase-user-kill': eraseUserKill,
  'answers-lost': content.answersLost,
  'resource-kill': content.resourceKill,
  'database-kill': database.databaseKill,
  'database-frozen': database.databaseFrozen,
  'database-slow': database.databaseSlow,
  'database-election': database.databaseElection,
  'audit-kill': audit.auditKill,
  'audit-kill-before-publish': audit.auditKillBeforePublish,
  'auth-away': gateway.authAway,
  'gateway-rolling': gateway.gatewayRolling,
  'webhook-kill': webhook.webhookKill,
  'webhook-kill-mid-post': webhook.webhookKillMidPost,
  'webhook-hostile': webhook.webhookHostile,
  'dns-faults': domain.dnsFaults,
  soak,
};
