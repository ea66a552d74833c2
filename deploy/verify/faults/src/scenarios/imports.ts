import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../harness/verdict.js';
import { createdEntries } from '../harness/created-entries.js';
import { killAndStart } from '../harness/kill.js';
import { api, withWorld, type World } from '../harness/world.js';

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
  return withWorld({}, async (world) => {
    const startedAt = Date.now();
    const links = Array.from({ length: ROWS }, (_, row) => ({
      destination_url: `${DESTINATION}${row}`,
      short_code: codeOf(row),
    }));
    const { id } = (await api(world.demo, 'POST', '/links/import', { links })).data as Job;
    const killedAt: number[] = [];
    let unservedWhileRunning = 0;
    let askedAgain = 0;
    const job = await untilFinished(world, id, async (now) => {
      const { served, tries } = await visit(world, now.processed_rows - 1);
      if (!served) unservedWhileRunning += 1;
      askedAgain += tries - 1;
      if (killedAt.length === KILLS || now.processed_rows <= (killedAt.at(-1) ?? -1)) return;
      await sleep(Math.random() * 200);
      await killAndStart(world.system.process('resource'));
      killedAt.push(now.processed_rows);
      world.say(`killed ${killedAt.length} of ${KILLS}, at row ${now.processed_rows}`);
    });
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const report = await judgeImport(world, job, {
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
async function untilFinished(world: World, id: string, each: (job: Job) => Promise<void>): Promise<Job> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    const job = await api(world.demo, 'GET', `/links/imports/${id}`).then(
      ({ data }) => data as Job,
      () => null,
    );
    if (job && !['queued', 'processing'].includes(job.status)) return job;
    if (job && job.processed_rows > 0) await each(job);
    await sleep(50);
  }
  throw new Error('the import does not end');
}

async function judgeImport(world: World, job: Job, extra: Record<string, unknown>): Promise<Report> {
  const made = await world.oracle.linksByDestination(DESTINATION);
  const lost = ROWS - made.size;
  const doubled = [...made.values()].filter((count) => count > 1).length;
  const told = await createdEntries(world, ROWS);
  const served = await servedAtEdge(world);
  return {
    rows: ROWS,
    status: job.status,
    created: job.created_count,
    lost,
    doubled,
    audit_entries: told,
    served_at_edge: served,
    ...extra,
    passed: job.status === 'completed' && job.created_count === ROWS && lost + doubled === 0 && told === ROWS && served,
  };
}

async function servedAtEdge(world: World): Promise<boolean> {
  for (let row = 0; row < ROWS; row += 97) if (!(await visit(world, row)).served) return false;
  return true;
}

/** Visits the row's link, which works once the row is done; retries the 503 of an edge whose service was killed. */
async function visit(world: World, row: number): Promise<{ served: boolean; tries: number }> {
  for (let tries = 1; tries <= 10; tries += 1) {
    const { status, headers } = await fetch(`${world.system.shortUrl}/${codeOf(row)}`, {
      method: 'HEAD',
      redirect: 'manual',
    });
    if (status !== 503) {
      return { served: status === 302 && headers.get('location') === `${DESTINATION}${row}`, tries };
    }
  }
  return { served: false, tries: 10 };
}
