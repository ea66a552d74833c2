import { brokerConfig } from '@waymark/kernel/process/config';
import { Topology } from '@waymark/kernel/broker/topology';
import { SCANS_PER_EVENT_MAX } from '@waymark/contract/events';
import { IN_FLIGHT_MAX } from '@waymark/webhook/dispatch/context';
import { DEPLOYMENTS } from '../../images/test/process-facts.js';
import { Overlay } from './overlay.js';

describe.each(DEPLOYMENTS)('in the overlay %s', (deployment) => {
  let overlay: Overlay;
  beforeAll(async () => (overlay = await Overlay.build(deployment)));

  test('what answers visitors and clients scales by CPU, and down slowly', () => {
    const scalers = overlay.ofKind('HorizontalPodAutoscaler');
    expect(scalers.map(({ metadata }) => metadata.name).sort()).toEqual(['auth', 'gateway', 'redirect', 'resource']);
    for (const { spec } of scalers) {
      const cpu = { name: 'cpu', target: { type: 'AverageValue', averageValue: '500m' } };
      expect(spec.metrics).toEqual([{ type: 'Resource', resource: cpu }]);
      expect(spec.behavior.scaleDown.stabilizationWindowSeconds).toBe(300);
    }
  });

  test('a process that scales by CPU asks for at least half of what it uses when another one is started', () => {
    for (const { spec } of overlay.ofKind('HorizontalPodAutoscaler')) {
      const { requests, limits } = overlay.podOf(spec.scaleTargetRef.name).container.resources;
      const target = parseInt(spec.metrics[0].resource.target.averageValue, 10);
      expect(parseInt(requests.cpu, 10)).toBeGreaterThanOrEqual(target / 2);
      expect(Number(limits.cpu) * 1000).toBeGreaterThanOrEqual(target * 2);
    }
  });

  test('an autoscaler has an existing target, whose number of replicas only it sets', () => {
    for (const { kind, spec } of overlay.ofKind('HorizontalPodAutoscaler', 'ScaledObject')) {
      const { name } = spec.scaleTargetRef;
      const workload = overlay.workload(name);
      expect(workload.spec.replicas).toBeUndefined();
      if (kind === 'HorizontalPodAutoscaler') expect(spec.scaleTargetRef.kind).toBe(workload.kind);
    }
  });

  test('analytics scales by the messages in its queue, unacknowledged ones too', () => {
    const { triggers } = overlay.named('ScaledObject', 'analytics').spec;
    const namespace = brokerConfig.shape.AMQP_NAMESPACE.parse(undefined);
    expect(triggers).toEqual([
      {
        type: 'rabbitmq',
        authenticationRef: { name: 'rabbitmq-management' },
        metadata: {
          protocol: 'http',
          queueName: new Topology(namespace).queue('analytics.scans'),
          mode: 'QueueLength',
          value: '50',
        },
      },
    ]);
    // At the 10,000 scans that one process takes in a second, a share is counted before WaymarkScansLate looks.
    expect(50 * SCANS_PER_EVENT_MAX).toBeLessThanOrEqual(5 * 10_000);
    const [{ name, key }] = overlay.named('TriggerAuthentication', 'rabbitmq-management').spec.secretTargetRef;
    expect([name, key]).toEqual(['keda-secrets', 'RABBITMQ_MANAGEMENT_URL']);
  });

  test('webhook scales by the deliveries it is sending, of this installation alone', () => {
    const [{ metadata }] = overlay.named('ScaledObject', 'webhook').spec.triggers;
    expect(metadata.query).toBe(`sum(waymark_webhook_in_flight{namespace="waymark-${deployment}"})`);
    expect(Number(metadata.threshold)).toBeLessThanOrEqual(IN_FLIGHT_MAX / 2);
  });
});
