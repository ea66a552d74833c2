import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseAllDocuments } from 'yaml';
import { AddressPolicy, SPECIAL_NETWORKS } from '@waymark/kernel/http/address-policy';
import { ROOT, type ProcessName } from '@waymark/launcher/process-table';
import { DEPLOYMENTS, processesOf } from '../../images/test/process-facts.js';
import { Overlay, type KubernetesObject } from './overlay.js';

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

  /** Returns `caller:port` for all that may call a process; pods are named by their processes. */
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

  test('every service is called by the gateway alone, and domain by TLS terminators at a port without metrics', () => {
    for (const name of names.filter((each) => !['gateway', 'redirect'].includes(each))) {
      const others = name === 'domain' ? ['ingress-nginx:tls-ask'] : [];
      expect(callersOf(name)).toEqual(['gateway:http', ...others, 'monitoring:ops']);
    }
  });

  /** Whether a process may open a connection to an address outside the cluster. */
  function reaches(name: ProcessName, address: string, port: number, protocol = 'TCP'): boolean {
    const rules = policiesOf(name, 'Egress').flatMap(({ spec }) => spec.egress ?? []);
    return rules.some(
      ({ to, ports }: any) =>
        to.some(({ ipBlock }: any) => ipBlock && isInBlock(address, ipBlock)) &&
        ports.some(
          (each: any) => each.protocol === protocol && each.port <= port && port <= (each.endPort ?? each.port),
        ),
    );
  }

  const portsReached = (name: ProcessName, address: string): number[] =>
    INTERESTING_PORTS.filter((port) => reaches(name, address, port));

  test('every rule names its peers and its ports, so that none is a rule for every address', () => {
    for (const { metadata, spec } of overlay.ofKind('NetworkPolicy')) {
      const rules = [
        ...(spec.ingress ?? []).map(({ from, ports }: any) => ({ peers: from, ports })),
        ...(spec.egress ?? []).map(({ to, ports }: any) => ({ peers: to, ports })),
      ];
      for (const { peers, ports } of rules) {
        expect([metadata.name, peers?.length > 0, ports?.length > 0]).toEqual([metadata.name, true, true]);
        for (const { protocol, port } of ports) expect([metadata.name, protocol, port]).not.toContain(undefined);
      }
    }
  });

  test('the gateway calls services and asks for names, and reaches neither database nor broker', () => {
    expect(Object.keys(waysOut('gateway')).sort()).toEqual(['cluster-names', 'gateway-calls-services']);
    const [{ to, ports }] = waysOut('gateway')['gateway-calls-services']!;
    expect(namesOf(to[0])).toEqual(names.filter((name) => name !== 'gateway' && name !== 'redirect'));
    expect(ports).toEqual([{ protocol: 'TCP', port: 'http' }]);
    expect([...portsReached('gateway', DATABASE), ...portsReached('gateway', BROKER)]).toEqual([]);
  });

  test('every other process reaches the database and the broker at the addresses of the overlay alone', () => {
    for (const name of names.filter((each) => each !== 'gateway')) {
      expect([name, portsReached(name, DATABASE), portsReached(name, BROKER)]).toEqual([name, [27017], [5671]]);
      for (const address of [...PRIVATE_ADDRESSES, ...PUBLIC_ADDRESSES])
        for (const port of [27017, 5671, 5672]) expect([name, address, reaches(name, address, port)]).toContain(false);
    }
  });

  test('the warehouse is called by analytics and Prometheus alone, and calls nothing', () => {
    const labels = overlay.named('StatefulSet', 'clickhouse').spec.template.metadata.labels as Labels;
    const policies = overlay.ofKind('NetworkPolicy').filter(({ spec }) => fits(spec.podSelector, labels));
    const callers = policies.flatMap(({ spec }) =>
      (spec.ingress ?? []).flatMap(({ from, ports }: any) => [
        from.flatMap(namesOf),
        ports.map(({ port }: any) => port),
      ]),
    );
    expect(callers).toEqual([['analytics'], ['http'], ['monitoring'], ['ops']]);
    const ways = policies.filter(({ spec }) => spec.egress?.length > 0).map(({ metadata }) => metadata.name);
    expect(ways).toEqual(['cluster-names']);
    const asking = names.filter((name) => 'analytics-asks-clickhouse' in waysOut(name));
    expect(asking).toEqual(['analytics']);
  });

  test('without an overlay the database, the broker, mail, identity providers and name servers of one’s own are closed', () => {
    const file = readFileSync(join(ROOT, 'deploy/k8s/components/network-policies/outside.yaml'), 'utf8');
    const policies = parseAllDocuments(file).map((document) => document.toJS() as KubernetesObject);
    const closed = policies.filter(({ spec }) => spec.egress.length === 0).map(({ metadata }) => metadata.name);
    expect(closed).toEqual(['database', 'broker', 'mail-and-identity', 'name-servers']);
  });

  test('every process asks the name server of the cluster, and NodeLocal DNS where nodes have it', () => {
    for (const name of names) {
      const [{ to, ports }] = waysOut(name)['cluster-names']!;
      expect(to[0].podSelector.matchLabels).toEqual({ 'k8s-app': 'kube-dns' });
      expect(ports.map(({ protocol, port }: any) => [protocol, port])).toEqual([
        ['UDP', 53],
        ['TCP', 53],
      ]);
      expect(reaches(name, '169.254.20.10', 53, 'UDP')).toBe(true);
    }
  });

  test('no process but webhook reaches a public address', () => {
    const outside = names.filter((name) => PUBLIC_ADDRESSES.some((address) => portsReached(name, address).length > 0));
    expect(outside).toEqual(['webhook']);
  });

  test('webhook reaches every port of public addresses but those of databases and brokers, and no private address', () => {
    for (const address of PUBLIC_ADDRESSES)
      expect(portsReached('webhook', address)).toEqual([53, 80, 443, 8443, 65535]);
    for (const address of PRIVATE_ADDRESSES) expect([address, ...portsReached('webhook', address)]).toEqual([address]);
  });

  test('what the policy for receivers leaves out is what the service itself refuses', () => {
    const [{ to }] = waysOut('webhook')['webhook-receivers']!;
    const service = new AddressPolicy([]);
    const left = to.flatMap(({ ipBlock }: any) => ipBlock.except) as string[];
    expect(left.toSorted()).toEqual(SPECIAL_NETWORKS.toSorted());
    for (const address of PUBLIC_ADDRESSES) expect([address, service.allowsAddress(address)]).toEqual([address, true]);
  });
});

/** Addresses of the overlays' servers.yaml. */
const DATABASE = '10.20.0.3';
const BROKER = '10.20.0.19';
const PRIVATE_ADDRESSES = ['10.20.0.99', '10.1.2.3', '169.254.169.254', '100.64.0.1', '172.16.0.1', '192.168.1.1', 'fd00::1', 'fe80::1', '::1']; // prettier-ignore
const PUBLIC_ADDRESSES = ['8.8.8.8', '2606:4700::1111'];
const INTERESTING_PORTS = [53, 80, 443, 5671, 5672, 8443, 27017, 65535];

const isInBlock = (address: string, { cidr, except = [] }: { cidr: string; except?: string[] }): boolean =>
  isIn(address, cidr) && !except.some((network) => isIn(address, network));

function isIn(address: string, cidr: string): boolean {
  const parsed = ipaddr.parse(address);
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return parsed.kind() === network.kind() && parsed.match([network, bits] as any);
}
