import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_BYTES_MAX } from '@waymark/contract/imports';
import { ROOT } from '@waymark/launcher/process-table';
import { DEPLOYMENTS } from '../../images/test/process-facts.js';
import { schemaProblems } from './object-schema.js';
import { Overlay, type KubernetesObject } from './overlay.js';

describe.each(DEPLOYMENTS)('the overlay %s', (deployment) => {
  let overlay: Overlay;
  beforeAll(async () => (overlay = await Overlay.build(deployment)));

  test('has only objects that Kubernetes, KEDA and the Prometheus operator take', () => {
    expect(overlay.objects.flatMap(schemaProblems)).toEqual([]);
  });

  test('has every object once, in its own namespace', () => {
    const names = overlay.objects.map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    const namespaces = overlay.objects.map(({ kind, metadata }) =>
      kind === 'Namespace' ? metadata.name : metadata.namespace,
    );
    expect(new Set(namespaces)).toEqual(new Set([`waymark-${deployment}`]));
  });

  test('holds its namespace to the restricted pod security standard', () => {
    expect(overlay.named('Namespace', `waymark-${deployment}`).metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
  });

  test('lets the largest import through its ingress, and an export that streams for minutes', () => {
    const annotations = overlay.named('Ingress', 'waymark').metadata.annotations!;
    const setting = (name: string) => annotations[`nginx.ingress.kubernetes.io/${name}`]!;
    expect(bytesOf(setting('proxy-body-size'))).toBeGreaterThan(IMPORT_BYTES_MAX);
    for (const timeout of ['proxy-read-timeout', 'proxy-send-timeout'])
      expect(Number(setting(timeout))).toBeGreaterThanOrEqual(120);
    expect(setting('proxy-buffering')).toBe('off');
  });

  test('has no secret in it', () => {
    expect(overlay.ofKind('Secret')).toEqual([]);
  });
});

/** The proxy of the Compose guide has the same limit. */
test('the examples of a proxy let the largest import through', () => {
  const guides = ['compose', 'cdn'].map((name) => readFileSync(join(ROOT, `docs/operations/${name}.md`), 'utf8'));
  const sizes = guides.flatMap((text) => [...text.matchAll(/client_max_body_size (\w+);/g)].map(([, size]) => size!));
  expect(sizes.length).toBeGreaterThan(0);
  for (const size of sizes) expect(bytesOf(size)).toBeGreaterThan(IMPORT_BYTES_MAX);
});

/** As nginx reads it: `16m` is 16 MiB. */
function bytesOf(size: string): number {
  const [, number, unit = ''] = /^(\d+)([km]?)$/.exec(size)!;
  return Number(number) * 1024 ** ['', 'k', 'm'].indexOf(unit);
}

const probe = (change: Record<string, unknown>): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x' },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: {}, spec: { containers: [{ name: 'x', image: 'x', ...change }] } },
  },
});

test.each([
  [{ readinesProbe: {} }, 'readinesProbe: unknown field'],
  [{ ports: [{ containerPort: '80' }] }, 'containerPort: not a number'],
  [{ ports: [{}] }, 'containerPort: missing'],
  [{ env: { A: 'b' } }, 'env: not a list'],
  [{ resources: { limits: { cpu: 1 } } }, 'cpu: not a string'],
])('a container with %j is found wrong', (change, problem) => {
  expect(schemaProblems(probe(change))).toEqual([expect.stringContaining(problem)]);
});

test('a custom resource with a wrong field is found wrong', () => {
  const spec = { selector: { matchLabels: {} }, endpoints: [{ prot: 'ops' }] };
  const object = { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: { name: 'x' }, spec };
  expect(schemaProblems(object)).toEqual([
    expect.stringContaining("must have required property 'port'"),
    expect.stringContaining('must NOT have additional properties'),
  ]);
});
