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

  test('has no secret in it', () => {
    expect(overlay.ofKind('Secret')).toEqual([]);
  });
});

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
