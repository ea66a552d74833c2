import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { CLICKHOUSE_IMAGE } from '@waymark/stack/docker-stack';
import { ROOT } from '@waymark/launcher/process-table';
import { DEPLOYMENTS } from '../../images/test/process-facts.js';
import { Overlay } from './overlay.js';
import { MadeSecrets } from './secrets.js';

const CONFIG = readFileSync(join(ROOT, 'deploy/k8s/base/clickhouse/config.xml'), 'utf8');

describe.each(DEPLOYMENTS)('the warehouse of the overlay %s', (deployment) => {
  let overlay: Overlay;
  let made: MadeSecrets;
  beforeAll(async () => {
    overlay = await Overlay.build(deployment);
    made = new MadeSecrets(deployment);
  });
  afterAll(() => made.remove());

  const podSpec = () => overlay.named('StatefulSet', 'clickhouse').spec.template.spec;

  test('is the only server of the base, of a fixed version, on a volume that is kept', () => {
    expect(overlay.servers.map(({ metadata }) => metadata.name)).toEqual(['clickhouse']);
    const { spec } = overlay.named('StatefulSet', 'clickhouse');
    expect(spec.template.spec.containers[0].image).toBe(CLICKHOUSE_IMAGE);
    expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' });
    const [claim] = spec.volumeClaimTemplates;
    const mounts = spec.template.spec.containers[0].volumeMounts;
    expect(mounts).toContainEqual({ name: claim.metadata.name, mountPath: '/var/lib/clickhouse' });
  });

  test('runs without privileges on a read-only file system', () => {
    expect(podSpec()).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(podSpec().containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('has a limit of memory that queries end before', () => {
    const { requests, limits } = podSpec().containers[0].resources;
    for (const amounts of [requests, limits]) expect(Object.keys(amounts).sort()).toEqual(['cpu', 'memory']);
    const [, ratio] = /<max_server_memory_usage_to_ram_ratio>([\d.]+)</.exec(CONFIG)!;
    expect(Number(ratio)).toBeLessThan(0.9);
  });

  test('reads its settings and its users from mounted files', () => {
    const { containers, volumes } = podSpec();
    const mountOf = (name: string) => containers[0].volumeMounts.find((mount: any) => mount.name === name);
    const config = volumes.find(({ name }: any) => name === 'config').configMap.name;
    expect(overlay.named('ConfigMap', config).data).toEqual({ [mountOf('config').subPath]: CONFIG });
    expect(mountOf('config').mountPath).toMatch(/^\/etc\/clickhouse-server\/config\.d\//);
    expect(volumes.find(({ name }: any) => name === 'secrets').secret.secretName).toBe('clickhouse-secrets');
    expect(mountOf('secrets')).toMatchObject({ mountPath: '/etc/clickhouse-server/users.d', readOnly: true });
  });

  test('is queried at the port of its Service, and scraped at the port of its settings', () => {
    const [container] = podSpec().containers;
    const [, metricsPort] = /<prometheus>[^]*<port>(\d+)</.exec(CONFIG)!;
    expect(container.ports).toEqual([
      { name: 'http', containerPort: 8123 },
      { name: 'ops', containerPort: Number(metricsPort) },
    ]);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(container[probe].httpGet).toEqual({ path: '/ping', port: 'http' });
    const { selector, ports } = overlay.named('Service', 'clickhouse').spec;
    expect(selector).toEqual({ 'app.kubernetes.io/name': 'clickhouse' });
    expect(ports).toEqual([{ name: 'http', port: 8123, targetPort: 'http' }]);
  });

  test('lets in the user whose password analytics has', () => {
    const secretOf = (name: string) => made.secrets.find(({ metadata }) => metadata.name === `${name}-secrets`)!;
    const { username, password, host, pathname } = new URL(secretOf('analytics').stringData['CLICKHOUSE_URL']!);
    expect(host).toBe('clickhouse:8123');
    const users = secretOf('clickhouse').stringData['users.xml']!;
    expect(users).toContain(`<${username}>`);
    expect(users).toContain(createHash('sha256').update(password).digest('hex'));
    expect(users).toContain(`GRANT ALL ON \`${pathname.slice(1)}\`.*`);
    const having = made.secrets.filter(({ stringData }) => 'CLICKHOUSE_URL' in stringData);
    expect(having.map(({ metadata }) => metadata.name)).toEqual(['analytics-secrets']);
  });
});
