import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../harness/report.js';
import { createdEntries } from '../harness/created-entries.js';
import { killAndStart } from '../harness/kill.js';
import { callApi, withEnvironment, type Environment } from '../harness/environment.js';

const ROWS = 10_000;
const KILLS = 4;
const TIMEOUT_MS = 240_000;
const DESTINATION = 'https://example.com/imported/';

interface Job {
  id: string;
  status: string;
  processed_rows: number;
  created_count: number;
  failed_count: number;
}

/** The resource service killed during an import, and again after it resumed: every row is done once. */
export function importKill(): Promise<Report> {
  return withEnvironment({}, async (environment) => {
    const startedAt = Date.now();
    const links = Array.from({ length: ROWS }, (_, row) => ({
      destination_url: `${DESTINATION}${row}`,
      short_code: codeOf(row),
    }));
    const { id } = (await callApi(environment.demo, 'POST', '/links/import', { links })).data as Job;
    const killedAt: number[] = [];
    let unservedWhileRunning = 0;
    let askedAgain = 0;
    const job = await untilFinished(environment, id, async (now) => {
      const { served, tries } = await visit(environment, now.processed_rows - 1);
      if (!served) unservedWhileRunning += 1;
      askedAgain += tries - 1;
      if (killedAt.length === KILLS || now.processed_rows <= (killedAt.at(-1) ?? -1)) return;
      await sleep(Math.random() * 200);
      await killAndStart(environment.system.process('resource'));
      killedAt.push(now.processed_rows);
      environment.say(`killed ${killedAt.length} of ${KILLS}, at row ${now.processed_rows}`);
    });
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const report = await judgeImport(environment, job, {
      killed_at_rows: killedAt,
      unserved_while_running: unservedWhileRunning,
      asked_again: askedAgain,
      seconds,
    });
    return { ...report, passed: report.passed && unservedWhileRunning === 0 };
  });
}

const codeOf = (row: number): string => `import-${row}`;

/** Polls the job until it has ended; while the service is down, the gateway answers 503. */
async function untilFinished(environment: Environment, id: string, each: (job: Job) => Promise<void>): Promise<Job> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    const job = await callApi(environment.demo, 'GET', `/links/imports/${id}`).then(
      ({ data }) => data as Job,
      () => null,
    );
    if (job && !['queued', 'processing'].includes(job.status)) return job;
    if (job && job.processed_rows > 0) await each(job);
    await sleep(50);
  }
  throw new Error('the import did not end');
}

async function judgeImport(environment: Environment, job: Job, extra: Record<string, unknown>): Promise<Report> {
  const made = await environment.state.linksByDestination(DESTINATION);
  const lost = ROWS - made.size;
  const doubled = [...made.values()].filter((count) => count > 1).length;
  const published = await createdEntries(environment, ROWS);
  const served = await servedAtEdge(environment);
  return {
    rows: ROWS,
    status: job.status,
    created: job.created_count,
    lost,
    doubled,
    audit_entries: published,
    served_at_edge: served,
    ...extra,
    passed:
      job.status === 'completed' && job.created_count === ROWS && lost + doubled === 0 && published === ROWS && served,
  };
}

async function servedAtEdge(environment: Environment): Promise<boolean> {
  for (let row = 0; row < ROWS; row += 97) if (!(await visit(environment, row)).served) return false;
  return true;
}

/** Visits the row's link, which works once the row is done; retries the 503 of an edge whose service was killed. */
async function visit(environment: Environment, row: number): Promise<{ served: boolean; tries: number }> {
  for (let tries = 1; tries <= 10; tries += 1) {
    const { status, headers } = await fetch(`${environment.system.shortUrl}/${codeOf(row)}`, {
      method: 'HEAD',
      redirect: 'manual',
    });
    if (status !== 503) {
      return { served: status === 302 && headers.get('location') === `${DESTINATION}${row}`, tries };
    }
  }
  return { served: false, tries: 10 };
}
