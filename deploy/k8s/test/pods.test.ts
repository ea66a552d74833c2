import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { STOP_DEADLINE_MS } from '@waymark/kernel/process/lifecycle';
import { ROOT, type ProcessName } from '@waymark/launcher/process-table';
import { identityKeyOf } from '@waymark/launcher/secrets';
import {
  configurationOf,
  DEPLOYMENTS,
  heapOf,
  megabytes,
  processesOf,
  unreadVariables,
  upstreamsOf,
  type ProcessFacts,
} from '../../images/test/process-facts.js';
import { MongoShell } from '../../images/test/mongo-shell.js';
import { Overlay } from './overlay.js';
import { MadeSecrets } from './secrets.js';

const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
const GIB = 1024 ** 3;
/** Threads that run JavaScript; the heap limit of the options is that of each. */
const THREADS: Partial<Record<ProcessName, number>> = { resource: 2 };

describe.each(DEPLOYMENTS)('in the overlay %s', (deployment) => {
  const processes = processesOf(deployment);
  let overlay: Overlay;
  let made: MadeSecrets;
  beforeAll(async () => {
    overlay = await Overlay.build(deployment);
    made = new MadeSecrets(deployment);
  });
  afterAll(() => made.remove());

  /** As the process reads it, with the Secrets that the operator's command makes. */
  function configOf(facts: ProcessFacts): Record<string, unknown> {
    const mounts = overlay.secretMountsOf(facts.name);
    const entries = Object.entries(overlay.environmentOf(facts.name)).map(([name, value]) => {
      const mount = mounts.find(({ path }) => name.endsWith('_FILE') && value.startsWith(`${path}/`));
      return [name, mount ? value.replace(mount.path, made.mount(mount.secret)) : value];
    });
    return configurationOf(facts, Object.fromEntries(entries) as Record<string, string>);
  }

  test('exactly the processes of the deployment run', () => {
    const names = overlay.workloads.map(({ metadata }) => metadata.name);
    expect(names.sort()).toEqual(processes.map(({ name }) => name).sort());
  });

  describe.each(processes)('$name', (facts) => {
    const { name } = facts;

    test('gets a configuration it starts with', () => {
      expect(configOf(facts)).toMatchObject({ DEPLOYMENT: deployment });
    });

    test('gets no variable of its own that it does not read', () => {
      const own = overlay.podOf(name).container.env.map((variable: any) => variable.name);
      expect(unreadVariables(facts, own)).toEqual([]);
    });

    test('has no secret in a variable, and only its own Secret mounted', () => {
      const secrets = ['IDENTITY_SECRET', 'WEBHOOK_SECRET_KEY', 'MONGODB_URI', 'AMQP_URL', 'CLICKHOUSE_URL'];
      expect(Object.keys(overlay.environmentOf(name)).filter((variable) => secrets.includes(variable))).toEqual([]);
      expect(overlay.secretMountsOf(name).map(({ secret }) => secret)).toEqual([`${name}-secrets`]);
    });

    test('says its ports as it listens, and its Service finds them', () => {
      const { labels, container } = overlay.podOf(name);
      expect(container.ports).toEqual(
        expect.arrayContaining([
          { name: 'http', containerPort: facts.port },
          { name: 'ops', containerPort: facts.opsPort },
          ...(facts.tlsAskPort === undefined ? [] : [{ name: 'tls-ask', containerPort: facts.tlsAskPort }]),
        ]),
      );
      const service = overlay.named('Service', name);
      expect(service.spec.selector).toEqual({ 'app.kubernetes.io/name': labels['app.kubernetes.io/name'] });
      expect(service.spec.ports).toContainEqual({ name: 'http', port: facts.port, targetPort: 'http' });
      if (facts.tlsAskPort !== undefined)
        expect(service.spec.ports).toContainEqual({ name: 'tls-ask', port: facts.tlsAskPort, targetPort: 'tls-ask' });
      // Only the Service for Prometheus leads to metrics.
      expect(service.spec.ports.map(({ targetPort }: any) => targetPort)).not.toContain('ops');
    });

    test('is alive by its event loop alone, and has a minute to start', () => {
      const { startupProbe, livenessProbe } = overlay.podOf(name).container;
      expect(livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'ops' });
      expect(livenessProbe.timeoutSeconds * livenessProbe.failureThreshold).toBeGreaterThan(10);
      expect(startupProbe).toMatchObject({
        httpGet: { path: '/healthz', port: 'ops' },
        periodSeconds: 2,
        failureThreshold: 30,
      });
    });

    test('is ready by its own readiness', () => {
      const { readinessProbe } = overlay.podOf(name).container;
      expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'ops' });
    });

    test('pauses before it stops, and has the time to stop that it takes', () => {
      const { spec, container } = overlay.podOf(name);
      const pause = container.lifecycle.preStop.sleep.seconds as number;
      expect(pause).toBe(5);
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + STOP_DEADLINE_MS / 1000);
    });

    test('runs without privileges on a read-only file system', () => {
      const { spec, container } = overlay.podOf(name);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.containers).toHaveLength(1);
    });

    test('has a service account of its own that gets no token', () => {
      expect(overlay.podOf(name).spec.serviceAccountName).toBe(name);
      expect(overlay.named('ServiceAccount', name)).toMatchObject({ automountServiceAccountToken: false });
    });

    test('asks for what it needs and has a limit', () => {
      const { requests, limits } = overlay.podOf(name).container.resources;
      expect(Object.keys(requests).sort()).toEqual(['cpu', 'memory']);
      expect(Object.keys(limits).sort()).toEqual(['cpu', 'memory']);
    });

    test('has a heap that ends before the limit of memory does, in every thread', () => {
      const { resources } = overlay.podOf(name).container;
      const limit = megabytes(resources.limits.memory);
      const heap = heapOf(overlay.environmentOf(name)) * (THREADS[name] ?? 1);
      // The rest is for buffers, native code, new objects and the program itself.
      expect(heap / limit).toBeGreaterThanOrEqual(0.6);
      expect(heap / limit).toBeLessThanOrEqual(0.7);
      expect(limit - heap).toBeGreaterThanOrEqual(128);
      expect(megabytes(resources.requests.memory)).toBeLessThanOrEqual(limit);
    });

    test('is spread over nodes and zones, separately for each process', () => {
      const { spec, labels } = overlay.podOf(name);
      const constraints = spec.topologySpreadConstraints as any[];
      const isEdge = labels['waymark/role'] === 'edge';
      // At most one apart counts the nodes that there are: on a single one all of them may run.
      expect(constraints).toMatchObject([
        {
          topologyKey: 'kubernetes.io/hostname',
          maxSkew: 1,
          whenUnsatisfiable: isEdge ? 'DoNotSchedule' : 'ScheduleAnyway',
          ...(isEdge && { nodeTaintsPolicy: 'Honor' }),
        },
        { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
      ]);
      for (const { labelSelector, matchLabelKeys, minDomains } of constraints) {
        expect(labels).toMatchObject(labelSelector.matchLabels);
        expect(matchLabelKeys).toEqual(['app.kubernetes.io/name']);
        expect(minDomains).toBeUndefined();
      }
      expect(spec.affinity).toBeUndefined();
    });

    test('runs at least twice, and a drained node takes one at a time', () => {
      const { replicas } = overlay.workload(name).spec;
      const [scaler] = overlay
        .ofKind('HorizontalPodAutoscaler', 'ScaledObject')
        .filter(({ spec }) => spec.scaleTargetRef.name === name);
      expect(scaler?.spec.minReplicas ?? scaler?.spec.minReplicaCount ?? replicas).toBeGreaterThanOrEqual(2);
      expect(overlay.named('PodDisruptionBudget', name).spec).toEqual({
        maxUnavailable: 1,
        selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      });
    });

    test('is an image of this version', () => {
      expect(overlay.podOf(name).container.image).toBe(`waymark/${name}:${VERSION}`);
    });
  });

  test('the gateway finds every service at its port', () => {
    const gateway = processes.find(({ name }) => name === 'gateway')!;
    const upstreams = upstreamsOf(gateway, configOf(gateway));
    expect(upstreams.map(([{ name }]) => name).sort()).toEqual(
      processes.flatMap(({ name }) => (name === 'gateway' || name === 'redirect' ? [] : [name])).sort(),
    );
    for (const [{ name, port }, url] of upstreams) expect(url.host).toBe(`${name}:${port}`);
  });

  test('the secret of identities is with the gateway alone, the key of webhook secrets with webhook alone', () => {
    const having = (key: string) => made.secrets.filter(({ stringData }) => key in stringData);
    expect(having('IDENTITY_SECRET').map(({ metadata }) => metadata.name)).toEqual(['gateway-secrets']);
    expect(having('WEBHOOK_SECRET_KEY').map(({ metadata }) => metadata.name)).toEqual(['webhook-secrets']);
    expect(having('TOTP_SECRET_KEY').map(({ metadata }) => metadata.name)).toEqual(['auth-secrets']);
    expect(having('AUDIT_SIGNING_KEY').map(({ metadata }) => metadata.name)).toEqual(['audit-secrets']);
  });

  test("the audit service's user may add, change and remove entries of the log, and has no right beyond its collections", () => {
    const { roles } = MongoShell.ran(made.file('mongodb-users.js')).accountsOf(`waymark-${deployment}-audit`);
    const { privileges } = roles.get('auditService')!;
    const collections = privileges.map(({ resource }) => resource.collection);
    const own = ['erasures', 'heads', 'leases', 'log_entries', 'outbox', 'tallies', 'waiting_entries'];
    expect(collections.sort()).toEqual(own);
    for (const { actions } of privileges) {
      expect(actions).toEqual(['find', 'insert', 'createCollection', 'createIndex', 'update', 'remove']);
    }
  });

  test('every service gets the key that the gateway signs its identities with, and no other', () => {
    const valuesOf = (service: string) =>
      made.secrets.find(({ metadata }) => metadata.name === `${service}-secrets`)!.stringData;
    const secrets = { identitySecret: valuesOf('gateway')['IDENTITY_SECRET']! };
    const services = processes.map(({ name }) => name).filter((name) => name !== 'gateway' && name !== 'redirect');
    const keys = services.map((service) => valuesOf(service)['IDENTITY_KEY']);
    expect(keys).toEqual(services.map((service) => identityKeyOf(secrets, service)));
    expect(new Set(keys).size).toBe(services.length);
    expect(valuesOf('redirect')).not.toHaveProperty('IDENTITY_KEY');
  });

  test('every service has its own user and database', () => {
    const uris = made.secrets.flatMap(({ stringData }) => stringData['MONGODB_URI'] ?? []);
    expect(uris).toHaveLength(processes.length - 1);
    const shell = MongoShell.ran(made.file('mongodb-users.js'));
    for (const uri of uris) {
      const [, user, database, source] = /^mongodb:\/\/([^:]+):[^@]+@[^/]+\/([^?]+)\?.*authSource=([^&]+)$/.exec(uri)!;
      expect([user, source]).toEqual([database, database]);
      expect([...shell.accountsOf(database!).users.keys()]).toEqual([user]);
    }
  });

  test('a service may consume its own queues alone, and declare none of them', () => {
    const queues = WORK_QUEUES.flatMap((queue) => [queue, `${queue}.retry`, `${queue}.parked`]);
    for (const { name } of processes.filter((process) => process.name !== 'gateway')) {
      const { read, configure, write } = made.permissions.find(({ user }) => user.endsWith(`-${name}`))!;
      const names = queues.map((queue) => `waymark.${queue}`);
      expect(names.filter((queue) => new RegExp(read).test(queue))).toEqual(
        names.filter((queue) => queue.startsWith(`waymark.${name}.`)),
      );
      for (const target of ['amq.default', 'waymark.dead', ...names]) {
        expect(target).not.toMatch(new RegExp(configure));
        expect(target).not.toMatch(new RegExp(write));
      }
    }
  });

  test('secrets that were made are never overwritten', () => {
    const before = made.file('secrets.json');
    expect(made.make().status).not.toBe(0);
    expect(made.file('secrets.json')).toBe(before);
  });

  test('the spool outlives its pod, and its volume is larger than the spool may become', () => {
    const redirect = processes.find(({ name }) => name === 'redirect')!;
    const { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy } = overlay.workload('redirect').spec;
    const [claim] = volumeClaimTemplates;
    const mount = overlay.podOf('redirect').container.volumeMounts.find((each: any) => each.name === 'spool');
    const config = configOf(redirect);
    expect(mount.mountPath).toBe(config['SPOOL_DIR']);
    expect(claim.metadata.name).toBe('spool');
    expect(parseInt(claim.spec.resources.requests.storage, 10) * GIB).toBeGreaterThan(
      config['SPOOL_MAX_BYTES'] as number,
    );
    expect(persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' });
  });

  test('the ingress leads the API to the gateway and the short host to the redirect', () => {
    const { rules } = overlay.named('Ingress', 'waymark').spec;
    const environment = overlay.environmentOf('resource');
    const backendOf = (url: string) =>
      rules.find(({ host }: any) => host === new URL(url).host).http.paths[0].backend.service.name;
    expect(backendOf(environment['API_BASE_URL']!)).toBe('gateway');
    expect(backendOf(environment['SHORT_BASE_URL']!)).toBe('redirect');
  });
});
