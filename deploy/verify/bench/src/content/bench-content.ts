import { importLinks } from '../import-links.js';
import { installResource, type ResourceInstallation } from '../resource-installation.js';
import { quantile, rounded } from '../figures.js';

const ROWS_AT_ONCE = 10_000;
/** Links that have a word in common, in a workspace of any size. */
const GROUP = 10;
/** A request that takes this much longer in the large workspace grows with it. */
const RATIO_MAX = 1.5;
/** Below this a ratio shows the machine's noise rather than the service's cost. */
const NOISE_MS = 2;

interface Workspace {
  slug: string;
  links: number;
  /** Some of its links. */
  ids: string[];
}

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: unknown; text: string }>;
type Operation = (call: Call, workspace: Workspace, turn: number) => ReturnType<Call>;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  list: (call) => call('GET', '/links'),
  'list, page 60': (call) => call('GET', '/links?page=60'),
  'list by status': (call) => call('GET', '/links?status=active'),
  'list by title': (call) => call('GET', '/links?sort=title'),
  'list by scans': (call) => call('GET', '/links?sort=-scans_count'),
  search: (call, { links }, turn) => call('GET', `/links?search=${groupOf(turn, links)}`),
  'search by title': (call, { links }, turn) => call('GET', `/links?search=${groupOf(turn, links)}&sort=title`),
  get: (call, { ids }, turn) => call('GET', `/links/${ids[turn % ids.length]}`),
  create: (call, _, turn) => call('POST', '/links', { destination_url: `https://example.com/new/${turn}` }),
  update: (call, { ids }, turn) => call('PATCH', `/links/${ids[turn % ids.length]}`, { title: `Changed ${turn}` }),
};

/**
 * Measures the requests of members in a workspace of 1,000 links and one of 100,000 of the same installation, in turns:
 * the cost of a request must not depend on the number of links.
 */
export async function benchContent({ turns, links }: { turns: number; links: number }): Promise<boolean> {
  const installation = await installResource();
  try {
    const small = await fill(installation, 'small', 1000);
    const large = await fill(installation, 'large', links);
    const report = await measure(installation, [small, large], turns);
    console.log(JSON.stringify(report, null, 2));
    return report.passed;
  } finally {
    await installation.stop();
  }
}

const groupOf = (index: number, links: number): string => `group${String(index % (links / GROUP)).padStart(6, '0')}`;

async function fill(installation: ResourceInstallation, slug: string, links: number): Promise<Workspace> {
  for (let from = 0; from < links; from += ROWS_AT_ONCE) {
    const rowOf = (index: number) => ({
      destination_url: `https://example.com/campaign/${from + index}`,
      title: `Link ${from + index} of ${groupOf(from + index, links)}`,
      campaign_tag: 'spring-26',
    });
    await importLinks(installation, { workspace: slug, rows: Math.min(ROWS_AT_ONCE, links - from), rowOf });
    console.error(`${slug}: ${Math.min(from + ROWS_AT_ONCE, links)} links`);
  }
  const listed = await installation.caller.call('GET', '/links?per_page=100', { workspace: slug });
  return { slug, links, ids: (listed.body as { data: { id: string }[] }).data.map(({ id }) => id) };
}

async function measure({ caller }: ResourceInstallation, workspaces: Workspace[], turns: number) {
  const operations: Record<string, { p50_ms: number[]; p95_ms: number[]; ratio: number }> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const times = workspaces.map((): number[] => []);
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [index, workspace] of workspaces.entries()) {
        const call: Call = (method, path, body) => caller.call(method, path, { workspace: workspace.slug, body });
        const startedAt = performance.now();
        const { status, text } = await operation(call, workspace, turn);
        times[index]!.push(performance.now() - startedAt);
        if (status >= 300) throw new Error(`${name}: ${status} ${text}`);
      }
    }
    const quantileOf = (share: number) => times.map((each) => rounded(quantile(each, share), 2));
    const [small, large] = quantileOf(0.5) as [number, number];
    const ratio = rounded(Math.max(large, NOISE_MS) / Math.max(small, NOISE_MS), 2);
    operations[name] = { p50_ms: [small, large], p95_ms: quantileOf(0.95), ratio };
    console.error(`${name}: ${JSON.stringify(operations[name])}`);
  }
  const passed = Object.values(operations).every(({ ratio }) => ratio <= RATIO_MAX);
  return { benchmark: 'content', links: workspaces.map(({ links }) => links), target: RATIO_MAX, operations, passed };
}
