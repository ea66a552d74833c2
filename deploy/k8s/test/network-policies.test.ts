import ipaddr from 'ipaddr.js';
import { AddressPolicy } from '@waymark/webhook/outbound/address-policy';
import type { ProcessName } from '@waymark/local/system/process-table';
import { DEPLOYMENTS, processesOf } from '../../images/test/process-facts.js';
import { Overlay, type KubernetesObject } from './overlay.js';

jest.setTimeout(300_000);

type Labels = Record<string, string>;

function fits(selector: any, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector as { matchLabels?: Labels; matchExpressions?: any[] };
  const isIn = ({ key, operator, values }: any) => values.includes(labels[key]) === (operator === 'In');
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(isIn);
}

describe.each(DEPLOYMENTS)('in the overlay %s', (deployment) => {
  const names = processesOf(deployment).map(({ name }) => name);
  let overlay: Overlay;
  beforeAll(async () => (overlay = await Overlay.build(deployment)));

  const policiesOf = (name: ProcessName, type: 'Ingress' | 'Egress'): KubernetesObject[] =>
    overlay
      .ofKind('NetworkPolicy')
      .filter(({ spec }) => spec.policyTypes.includes(type) && fits(spec.podSelector, overlay.podOf(name).labels));

  /** `who:port` of all that may call a process; pods are told by the processes they are. */
  function callersOf(name: ProcessName): string[] {
    const rules = policiesOf(name, 'Ingress').flatMap(({ spec }) => spec.ingress ?? []);
    const callers = rules.flatMap(({ from, ports }: any) =>
      from.flatMap((peer: any) => ports.flatMap(({ port }: any) => namesOf(peer).map((caller) => `${caller}:${port}`))),
    );
    return callers.sort() as string[];
  }

  function namesOf({ podSelector, namespaceSelector }: any): string[] {
    if (namespaceSelector) return [namespaceSelector.matchLabels['kubernetes.io/metadata.name']];
    return names.filter((name) => fits(podSelector, overlay.podOf(name).labels));
  }

  /** Egress rules of a process by the policy that has them. */
  const waysOut = (name: ProcessName): Record<string, any[]> =>
    Object.fromEntries(
      policiesOf(name, 'Egress').flatMap(({ metadata, spec }) => (spec.egress ? [[metadata.name, spec.egress]] : [])),
    );

  test('what no policy names reaches nothing and is reached by nothing', () => {
    expect(overlay.named('NetworkPolicy', 'deny-all').spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  test('the gateway and the redirect are called by the ingress controller alone', () => {
    for (const name of ['gateway', 'redirect'] as const)
      expect(callersOf(name)).toEqual(['ingress-nginx:http', 'monitoring:ops']);
  });

  test('every service is called by the gateway alone', () => {
    for (const name of names.filter((each) => !['gateway', 'redirect'].includes(each))) {
      const others = name === 'domain' ? ['ingress-nginx:ops'] : [];
      expect(callersOf(name)).toEqual(['gateway:http', ...others, 'monitoring:ops']);
    }
  });

  test('the gateway calls services and asks for names, and reaches neither database nor broker', () => {
    expect(Object.keys(waysOut('gateway')).sort()).toEqual(['cluster-names', 'gateway-calls-services']);
    const [rule] = waysOut('gateway')['gateway-calls-services']!;
    const called = rule.to.flatMap(namesOf);
    expect(called.sort()).toEqual(names.filter((name) => !['gateway', 'redirect'].includes(name)).sort());
  });

  test('a service reaches database, broker and names, and no other process', () => {
    for (const name of ['auth', 'resource', 'redirect', 'analytics', 'audit'] as const)
      expect(Object.keys(waysOut(name)).sort()).toEqual(['cluster-names', 'database-and-broker']);
    const [rule] = waysOut('auth')['database-and-broker']!;
    expect(rule.ports.map(({ port }: any) => port)).toEqual([27017, 5671, 5672]);
  });

  test('beside those, webhook reaches receivers, and it and domain name servers', () => {
    expect(Object.keys(waysOut('webhook')).sort()).toEqual([
      'cluster-names',
      'database-and-broker',
      'name-servers',
      'webhook-receivers',
    ]);
    if (deployment === 'links')
      expect(Object.keys(waysOut('domain')).sort()).toEqual(['cluster-names', 'database-and-broker', 'name-servers']);
  });

  test('receivers are public: what the policy leaves out is what the service itself refuses', () => {
    const [{ to }] = waysOut('webhook')['webhook-receivers']!;
    const blocks = to.map(({ ipBlock }: any) => ({ cidr: ipBlock.cidr, except: ipBlock.except }));
    const isReachable = (address: string) =>
      blocks.some(
        ({ cidr, except }: any) => isIn(address, cidr) && !except.some((network: string) => isIn(address, network)),
      );
    const service = new AddressPolicy([]);
    const left = blocks.flatMap(({ except }: any) => except.map((network: string) => network.split('/')[0]));
    expect(left.length).toBeGreaterThan(10);
    for (const network of left) expect([network, service.allows(nextOf(network))]).toEqual([network, false]);
    for (const address of ['10.1.2.3', '169.254.169.254', '100.64.0.1', '192.168.1.1', 'fd00::1', 'fe80::1', '::1'])
      expect([address, isReachable(address)]).toEqual([address, false]);
    for (const address of ['8.8.8.8', '2606:4700::1111']) {
      expect([address, isReachable(address)]).toEqual([address, true]);
      expect([address, service.allows(address)]).toEqual([address, true]);
    }
  });
});

/** An address within the network that begins here. */
const nextOf = (network: string): string =>
  network.includes(':') ? network.replace(/::$/, '::1') : network.replace(/0$/, '1');

function isIn(address: string, cidr: string): boolean {
  const parsed = ipaddr.parse(address);
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return parsed.kind() === network.kind() && parsed.match([network, bits] as any);
}
