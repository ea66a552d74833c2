import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { ROOT } from '@waymark/launcher/process-table';
import { megabytes } from '../../../../images/test/process-facts.js';
import { Overlay } from '../../../../k8s/test/overlay.js';
import { blocksOf, readPage } from './pages.js';

const GUIDES = ['operations', 'kubernetes', 'runbook'].map((name) => readPage(`docs/operations/${name}.md`));
const operations = GUIDES[0]!.text;

/** The text between a heading and the next one of its level or above. */
function section(text: string, heading: string): string {
  const [mark = ''] = /^#+/.exec(heading)!;
  const after = text.split(`\n${heading}\n`)[1]!;
  return after.split(new RegExp(`^#{1,${mark.length}} `, 'm'))[0]!;
}

/** The commands of a section, one a line, in their order. */
const commandsOf = (text: string): string[] =>
  blocksOf({ path: '', text })
    .filter(({ language }) => language === 'sh')
    .flatMap((block) => block.text.replaceAll(/(\\|\|)\n\s*/g, '$1 ').split('\n'))
    .filter((line) => line !== '');

describe('the guide to a restore', () => {
  const commands = commandsOf(section(operations, '### Restore'));
  const indexOf = (pattern: RegExp) => commands.findIndex((command) => pattern.test(command));
  let overlay: Overlay;
  beforeAll(async () => (overlay = await Overlay.build('links')));

  test('stops what writes, drops the copy, empties the queues and starts everything, in this order', () => {
    const steps = [
      /delete hpa,scaledobject --all/,
      /scale deployment --all --replicas=0/,
      /wait pod --for=delete/,
      /waymark-links-redirect'\)\.dropDatabase/,
      /purge_queue/,
      /apply -k deploy\/k8s\/overlays\/links/,
      /scale deployment --all --replicas=[1-9]/,
      /wait deployment --for=condition=Available --all/,
      /rollout restart statefulset\/redirect/,
      /waymark-admin recount/,
    ];
    const indexes = steps.map(indexOf);
    expect(indexes).not.toContain(-1);
    expect(indexes).toEqual([...indexes].sort((one, other) => one - other));
  });

  test('scales to the least number that each autoscaler keeps, since the overlay gives none that an autoscaler would raise', () => {
    const deployments = overlay.ofKind('Deployment').filter(({ spec }) => spec.replicas === undefined);
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['auth', 'gateway']));
    const scalers = overlay.ofKind('HorizontalPodAutoscaler', 'ScaledObject');
    const least = scalers.map(({ spec }) => spec.minReplicas ?? spec.minReplicaCount);
    const [, replicas] = /--replicas=([1-9]\d*)/.exec(commands[indexOf(/--replicas=[1-9]/)]!)!;
    expect(new Set(least)).toEqual(new Set([Number(replicas)]));
  });

  test('empties every work queue but those of the scans, and deletes none', () => {
    const command = commands[indexOf(/purge_queue/)]!;
    const [keep, drop] = [...command.matchAll(/grep (?:-v )?'([^']+)'/g)].map(
      ([, pattern = '']) => new RegExp(pattern),
    );
    const queues = WORK_QUEUES.flatMap((queue) => [queue, `${queue}.retry`, `${queue}.parked`]);
    const left = queues.filter((queue) => !keep!.test(`waymark.${queue}`) || drop!.test(`waymark.${queue}`));
    expect(left).toEqual(['analytics.scans', 'analytics.scans.retry', 'analytics.scans.parked']);
    expect(commands.filter((line) => line.includes('delete_queue'))).toEqual([]);
  });
});

test('every object that a kubectl command names is in the overlay', async () => {
  const overlay = await Overlay.build('links');
  const kinds: Record<string, string> = {
    deploy: 'Deployment',
    statefulset: 'StatefulSet',
    hpa: 'HorizontalPodAutoscaler',
  };
  const named = GUIDES.flatMap(({ path, text }) =>
    [...text.matchAll(/kubectl -n waymark-links [^`\n]*?\b(deploy|statefulset|hpa)[ /]([a-z]+)/g)].map(
      ([, kind = '', name = '']) => ({ path, kind: kinds[kind]!, name }),
    ),
  );
  expect(named.length).toBeGreaterThan(8);
  const isThere = (kind: string, name: string) => overlay.ofKind(kind).some(({ metadata }) => metadata.name === name);
  expect(named.filter(({ kind, name }) => !isThere(kind, name))).toEqual([]);
});

test('the guide says after how long a scan is on disk, as the spool does it', () => {
  const spool = readFileSync(join(ROOT, 'services/redirect/src/spool/spool.ts'), 'utf8');
  const [, milliseconds] = /SYNC_EVERY_MS = (\d+)/.exec(spool)!;
  expect(section(operations, '## What may be lost')).toContain(`the last ${milliseconds} ms on that node`);
  expect(readPage('README.md').text).toContain(`the last ${milliseconds} ms`);
});

test('the README promises of scans only what the guide says is never lost', () => {
  expect(readPage('README.md').text).not.toMatch(/never lost|no scan is (ever )?lost/);
});

test('the guide says that no probe ends a process that prepares its database, as the manifests have it', async () => {
  const overlay = await Overlay.build('links');
  for (const { spec } of overlay.workloads) {
    const { startupProbe, livenessProbe, readinessProbe } = spec.template.spec.containers[0];
    expect([startupProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz']);
    expect(readinessProbe.httpGet.path).toBe('/readyz');
  }
  expect(section(operations, '## Upgrade')).toContain('Probes do not end it');
});

test.each(['links', 'qr'] as const)(
  'the guide asks for nodes that have room for what the overlay %s requests',
  async (deployment) => {
    const overlay = await Overlay.build(deployment);
    const [, cores, gibibytes] = /nodes with (\d+) cores and (\d+) GiB free/.exec(GUIDES[1]!.text)!;
    const requests = overlay.workloads.map(({ spec }) => spec.template.spec.containers[0].resources.requests);
    const sum = (amounts: number[]) => 2 * amounts.reduce((total, amount) => total + amount, 0);
    expect(sum(requests.map(({ cpu }) => parseInt(cpu, 10) / 1000))).toBeLessThanOrEqual(Number(cores));
    expect(sum(requests.map(({ memory }) => megabytes(memory) / 1024))).toBeLessThanOrEqual(Number(gibibytes));
  },
);
