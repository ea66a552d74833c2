import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@waymark/testing/wait-for';
import { AttackerProcess } from '../hostile/attacker-process.js';
import { heavyCode, HEAVY_LINKS, HEAVY_VISITS, HEAVY_VISITS_PER_SECOND } from '../hostile/attacks.js';
import { importOf } from '../hostile/bodies.js';
import { BystanderProcess } from '../hostile/bystander-process.js';
import { isUndisturbed, type BystanderTarget, type Quality } from '../hostile/bystanders.js';
import { percentile, send } from '../hostile/plain-request.js';
import { importLinks } from '../harness/import-links.js';
import { Load } from '../harness/load.js';
import { tokenIn } from '../harness/tokens.js';
import type { Report } from '../harness/report.js';
import { settle } from '../harness/settle.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';
import type { VisitedLink } from '../harness/visited-link.js';
import { bystanderTarget } from './hostile-clients.js';

const WEBHOOKS = 20;
/** This process plays the tenant's visitors, receivers and clients, which would not take the system's cores. */
const NICENESS = 10;
/**
 * Share of the scans per second that this machine handles. Two cores are 80 to 90 % busy then, with the other tenants, the
 * import and the exports; more is the full rate, which delays everyone.
 */
const LOAD_SHARE = 0.1;
const PROBE_VISITS = 400;
const PROBE_VISITORS = 8;
const EXTRA_IMPORT_ROWS = 10_000;
const QUIET_CHECK_MS = 2000;
const WARM_UP_MS = 5000;
const UNDISTURBED_MS = 60_000;
const HEAVY_MS = 60_000;
const BURST_MS = 20_000;
const SETTLING_TIMEOUT_MS = 300_000;
/** The typical response time of a receiver on the internet. */
const RECEIVER_DELAY_MS = 50;
const BYSTANDER_PATH = '/bystander';
/** From an event of the other workspace to its delivery, beside any number of scans. */
const BYSTANDER_DELIVERY_MAX_MS = 60_000;
const CREATED = '201';

/**
 * One workspace has 50,000 links of 2,000 characters, 20 webhooks for every scan, and 1,000 scans a second (fewer on a
 * machine that cannot handle them), and imports and exports at the same time. Members of another workspace, its visitors
 * and its webhook notice nothing. Then the full rate for a short time: it may slow others down, and takes nothing from them.
 */
export function heavyTenant(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const tenant = await openTenant(environment);
    const receiver = await WebhookReceiver.start();
    const target = await bystanderTarget(environment);
    const bystanders = new BystanderProcess(target);
    setPriority(NICENESS);
    try {
      const codes = await tenant.importLinks();
      await quiet(environment);
      await tenant.subscribe(receiver);
      await quiet(environment);
      const handled = await scansHandledPerSecond(environment, codes, receiver);
      const rate = Math.min(HEAVY_VISITS_PER_SECOND, Math.ceil(handled * LOAD_SHARE));
      const probed = deliveriesTo(receiver);
      const deliveries = await subscribeBystander(environment, receiver);
      const warmUp = await bystanders.measure(WARM_UP_MS);
      const before = await bystanders.measure(UNDISTURBED_MS);
      const deliveriesBefore = await deliveries.measure([warmUp.api, before.api]);
      environment.say(`undisturbed: API p99 ${before.api.p99_ms} ms, visits p99 ${before.visits.p99_ms} ms`);
      const load = new Load(environment.system.shortUrl, codes, rate).start();
      const bulk = Promise.all([tenant.importOnce(shortImport()), tenant.exportScans(), tenant.exportLinks()]);
      const during = await bystanders.measure(HEAVY_MS);
      await load.stop();
      const deliveriesDuring = await deliveries.measure([during.api]);
      const [importStatus, exportStatus, linksExportStatus] = await bulk;
      const delivered = deliveriesTo(receiver).map((count, index) => count - probed[index]!);
      const answered = load.accepted.length;
      const { besideBurst, burst } = await measureBesideFullRate(bystanders, target);
      const deliveriesBesideBurst = await deliveries.measure([besideBurst.api]);
      const scansAccepted = PROBE_VISITS + answered + (burst.statuses['302'] ?? 0);
      await environment.state.waitUntilDrained(scansAccepted);
      const scansStored = await environment.state.scansStored();
      return {
        undisturbed: { ...before, deliveries: deliveriesBefore },
        beside_heavy_tenant: { ...during, deliveries: deliveriesDuring },
        beside_full_rate: { ...besideBurst, deliveries: deliveriesBesideBurst },
        full_rate: {
          ...burst,
          scans_accepted: scansAccepted,
          scans_stored: scansStored,
        },
        tenant: {
          links: codes.length,
          scans_per_second: rate,
          handled_per_second: Math.round(handled),
          visits: load.attempted,
          answered,
          ...load.timings(),
          deliveries: delivered.reduce((sum, count) => sum + count, 0),
          import_status: importStatus,
          export_status: exportStatus,
          links_export_status: linksExportStatus,
        },
        passed:
          isUndisturbed(before.api, during.api) &&
          isUndisturbed(before.visits, during.visits) &&
          importStatus === 'completed' &&
          exportStatus === 200 &&
          linksExportStatus === 200 &&
          answered === load.attempted &&
          [deliveriesDuring, deliveriesBesideBurst].every(isDeliveredInTime) &&
          besideBurst.api.failed === 0 &&
          besideBurst.visits.failed === 0 &&
          scansStored >= scansAccepted &&
          delivered.every((count) => count > 0),
      };
    } finally {
      setPriority(0);
      bystanders.end();
      receiver.stop();
    }
  });
}

const pathOf = (index: number) => `/heavy-${index}`;

/** Events at each webhook, each once. */
const deliveriesTo = (receiver: WebhookReceiver): number[] =>
  Array.from({ length: WEBHOOKS }, (_, index) => receiver.eventsAt(pathOf(index)).size);

interface Deliveries {
  events: number;
  delivered: number;
  p50_ms: number;
  max_ms: number;
}

const isDeliveredInTime = ({ events, delivered, max_ms }: Deliveries): boolean =>
  events > 0 && delivered >= events && max_ms <= BYSTANDER_DELIVERY_MAX_MS;

/** Opens a webhook for the links that the bystanders create. */
async function subscribeBystander({ demo }: Environment, receiver: WebhookReceiver) {
  const url = receiver.addEndpoint(BYSTANDER_PATH);
  await callApi(demo, 'POST', '/webhooks', { url, event_types: ['link.created'] });
  let measured = 0;
  return {
    /** Waits until each link created in these phases was delivered, or the time is up. */
    async measure(phases: Quality[]): Promise<Deliveries> {
      const events = phases.reduce((sum, { statuses }) => sum + (statuses[CREATED] ?? 0), 0);
      const delays = () => receiver.delaysAt(BYSTANDER_PATH).slice(measured);
      await settle(() => delays().length >= events, BYSTANDER_DELIVERY_MAX_MS);
      const found = delays();
      measured += found.length;
      return { events, delivered: found.length, p50_ms: percentile(found, 0.5), max_ms: Math.max(0, ...found) };
    },
  };
}

/** Measures while a process of its own visits the tenant's links at the full rate. */
async function measureBesideFullRate(bystanders: BystanderProcess, target: BystanderTarget) {
  const visitors = new AttackerProcess();
  visitors.start(HEAVY_VISITS, { ...target, code: target.codes[0]!, token: '' });
  const besideBurst = await bystanders.measure(BURST_MS);
  const burst = await visitors.stop();
  visitors.end();
  return { besideBurst, burst };
}

/** Waits until all changes so far have reached every service: each link is in every read model and log. */
async function quiet({ stack, state, say }: Environment): Promise<void> {
  const startedAt = Date.now();
  const messages = async () => {
    const depths = (await stack.broker!.ctl('list_queues', '--silent', 'messages')).split('\n');
    return depths.reduce((sum, depth) => sum + (Number(depth) || 0), 0);
  };
  const isQuiet = async () => {
    if ((await messages()) + (await state.outboxRows()) === 0) return true;
    // Each look starts a program.
    await sleep(QUIET_CHECK_MS);
    return false;
  };
  await waitFor('empty queues', isQuiet, SETTLING_TIMEOUT_MS);
  say(`quiet after ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/**
 * Visits links until figures, links and all webhooks have each visit.
 * @returns how many scans a second the machine handles, with everything that results from them
 */
async function scansHandledPerSecond(
  { system, state, say }: Environment,
  codes: VisitedLink[],
  receiver: WebhookReceiver,
) {
  const startedAt = performance.now();
  const headers = { 'user-agent': 'Mozilla/5.0 Firefox/140.0' };
  let visits = 0;
  const visitor = async () => {
    while (visits < PROBE_VISITS) {
      const { short_code: code } = codes[(visits += 1)]!;
      const { status } = await send(`${system.shortUrl}/${code}`, { headers });
      if (status !== 302) throw new Error(`a visit was answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: PROBE_VISITORS }, visitor));
  await state.waitUntilDrained(visits);
  const isDelivered = () => deliveriesTo(receiver).every((count) => count >= visits);
  await waitFor('the deliveries', isDelivered, SETTLING_TIMEOUT_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  say(`${visits} scans and ${visits * WEBHOOKS} deliveries took ${Math.round(seconds)} s`);
  return visits / seconds;
}

function shortImport(): string {
  const links = Array.from({ length: EXTRA_IMPORT_ROWS }, (_, row) => ({
    destination_url: `https://example.com/${row}`,
  }));
  return JSON.stringify({ links });
}

/** Opens the heavily used workspace, through its owner's token. */
async function openTenant(environment: Environment) {
  const { system, demo, say } = environment;
  const workspace = 'globex';
  const token = await tokenIn(system, { workspace, email: demo.users['outsider']!.email, role: 'owner' });
  const url = `${system.baseUrl}/api/v1/workspaces/${workspace}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const importOnce = (body: string) => importLinks({ url, token }, body);

  return {
    importOnce,
    /** Creates the links, one import after the other. */
    async importLinks(): Promise<VisitedLink[]> {
      const links: VisitedLink[] = [];
      for (let number = 0; number < HEAVY_LINKS.imports; number += 1) {
        const status = await importOnce(importOf(HEAVY_LINKS.rows, `heavy${number}`));
        if (status !== 'completed') throw new Error(`import ${number} ended as ${status}`);
        for (let row = 0; row < HEAVY_LINKS.rows; row += 1) links.push({ id: '', short_code: heavyCode(number, row) });
        say(`${links.length} links imported`);
      }
      return links;
    },
    async subscribe(receiver: WebhookReceiver): Promise<void> {
      for (let index = 0; index < WEBHOOKS; index += 1) {
        const endpoint = receiver.addEndpoint(pathOf(index), (response) =>
          setTimeout(() => response.writeHead(204).end(), RECEIVER_DELAY_MS),
        );
        const body = JSON.stringify({ url: endpoint, event_types: ['scan.logged'] });
        const { status, text } = await send(`${url}/webhooks`, { method: 'POST', headers, body });
        if (status !== 201) throw new Error(`a webhook was answered ${status}: ${text.slice(0, 300)}`);
      }
    },
    /** Reads the whole export of the links. @returns its HTTP status */
    async exportLinks(): Promise<number> {
      const { status } = await send(`${url}/links/export`, { headers, timeoutMs: 120_000 });
      return status;
    },
    /** Reads the whole export of the existing scans. @returns its HTTP status */
    async exportScans(): Promise<number> {
      const { status } = await send(`${url}/analytics/export`, { headers, timeoutMs: 120_000 });
      return status;
    },
  };
}
