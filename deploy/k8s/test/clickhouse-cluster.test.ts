import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CLICKHOUSE_IMAGE } from '@waymark/stack/docker-stack';
import { ROOT } from '@waymark/launcher/process-table';
import { DEPLOYMENTS } from '../../images/test/process-facts.js';
import { schemaProblems } from './object-schema.js';
import { Overlay } from './overlay.js';
import { MadeSecrets } from './secrets.js';

describe.each(DEPLOYMENTS)('the overlay %s with a cluster of ClickHouse', (deployment) => {
  let overlay: Overlay;
  let made: MadeSecrets;
  beforeAll(async () => {
    overlay = await Overlay.buildWith(deployment, ['clickhouse-cluster']);
    made = new MadeSecrets(deployment);
  });
  afterAll(() => made.remove());

  const installation = () => overlay.named('ClickHouseInstallation', 'waymark').spec;
  const keepers = () => overlay.named('ClickHouseKeeperInstallation', 'waymark').spec;
  const podOf = ({ templates }: any) => templates.podTemplates[0];

  test('has only objects that Kubernetes and the operators take', () => {
    expect(overlay.objects.flatMap(schemaProblems)).toEqual([]);
  });

  test('replaces the single node, under the address that analytics has', () => {
    expect(overlay.servers).toEqual([]);
    expect(overlay.ofKind('Service').map(({ metadata }) => metadata.name)).not.toContain('clickhouse');
    const secret = made.secrets.find(({ metadata }) => metadata.name === 'analytics-secrets')!;
    const { hostname, port } = new URL(secret.stringData['CLICKHOUSE_URL']!);
    const { serviceTemplates } = installation().templates;
    expect(serviceTemplates).toEqual([expect.objectContaining({ generateName: hostname })]);
    expect(serviceTemplates[0].spec.ports).toEqual([{ name: 'http', port: Number(port), targetPort: 'http' }]);
  });

  test('has two replicas of one shard, coordinated by three keepers, of the version of the single node', () => {
    const { clusters, zookeeper } = installation().configuration;
    expect(clusters[0].layout).toEqual({ shardsCount: 1, replicasCount: 2 });
    expect(overlay.environmentOf('analytics')['CLICKHOUSE_CLUSTER']).toBe(clusters[0].name);
    const { metadata } = overlay.named('ClickHouseKeeperInstallation', 'waymark');
    expect(zookeeper.nodes).toEqual([{ host: `keeper-${metadata.name}`, port: 2181 }]);
    expect(keepers().configuration.clusters[0].layout).toEqual({ replicasCount: 3 });
    expect(podOf(installation()).spec.containers[0].image).toBe(CLICKHOUSE_IMAGE);
    expect(podOf(keepers()).spec.containers[0].image.split(':')[1]).toBe(CLICKHOUSE_IMAGE.split(':')[1]);
  });

  test('has the settings of the single node, and keeps the volumes', () => {
    const config = readFileSync(join(ROOT, 'deploy/k8s/base/clickhouse/config.xml'), 'utf8');
    expect(installation().configuration.files).toEqual({ 'config.d/waymark.xml': config });
    for (const { templates } of [installation(), keepers()])
      expect(templates.volumeClaimTemplates).toEqual([expect.objectContaining({ reclaimPolicy: 'Retain' })]);
  });

  test('lets in the user whose password analytics has, who may create tables on the cluster', () => {
    const secretOf = (name: string) => made.secrets.find(({ metadata }) => metadata.name === `${name}-secrets`)!;
    const { username, password, pathname } = new URL(secretOf('analytics').stringData['CLICKHOUSE_URL']!);
    const { users } = installation().configuration;
    const { name, key } = users[`${username}/password_sha256_hex`].valueFrom.secretKeyRef;
    expect(name).toBe('clickhouse-secrets');
    expect(secretOf('clickhouse').stringData[key]).toBe(createHash('sha256').update(password).digest('hex'));
    const grants = [`GRANT ALL ON \`${pathname.slice(1)}\`.*`, 'GRANT CLUSTER ON *.*'];
    expect(users[`${username}/grants/query`]).toEqual(grants);
  });

  test('runs without privileges, and is reached by its own pods, analytics and the operator alone', () => {
    for (const spec of [installation(), keepers()]) {
      const pod = podOf(spec).spec;
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
    const { spec } = overlay.named('NetworkPolicy', 'clickhouse-cluster');
    const names = [installation(), keepers()].map((each) => podOf(each).metadata.labels['app.kubernetes.io/name']);
    expect(spec.podSelector.matchExpressions[0].values).toEqual(names);
    const peers = spec.ingress.flatMap(({ from }: any) => from.map((peer: any) => peer.podSelector));
    expect(peers).toEqual([
      spec.podSelector,
      { matchLabels: { app: 'clickhouse-operator' } },
      { matchLabels: { 'app.kubernetes.io/name': 'analytics' } },
    ]);
  });
});
