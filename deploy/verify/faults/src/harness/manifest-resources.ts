import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { PROCESS_NAMES, ROOT, type ProcessName } from '@waymark/launcher/process-table';

const MANIFESTS = join(ROOT, 'deploy/k8s');
const UNITS: Readonly<Record<string, number>> = { Ki: 1 / 1024, Mi: 1, Gi: 1024 };

interface Container {
  env?: { name: string; value?: string }[];
  resources: { requests: { cpu: string }; limits: { memory: string } };
}

/** The resources that the Kubernetes manifest of a process gives it. */
export interface ManifestResources {
  /** The CPU that it requests, in thousandths of a core. */
  cpuMillis: number;
  /** Memory of the container, in MiB. */
  containerMb: number;
  /** `NODE_OPTIONS` with the size of V8's heap. */
  nodeOptions: string;
}

/** Reads the resources of every process from the manifests, so that faults run with the resources that are shipped. */
export function readManifestResources(): Record<ProcessName, ManifestResources> {
  const entries = PROCESS_NAMES.map((name) => [name, resourcesOf(name)]);
  return Object.fromEntries(entries) as Record<ProcessName, ManifestResources>;
}

function resourcesOf(name: ProcessName): ManifestResources {
  const file = name === 'domain' ? 'components/custom-domains/domain.yaml' : `base/${name}.yaml`;
  const { env = [], resources } = containerIn(join(MANIFESTS, file));
  const [, size, unit] = /^(\d+)(Ki|Mi|Gi)$/.exec(resources.limits.memory)!;
  const nodeOptions = env.find((variable) => variable.name === 'NODE_OPTIONS')?.value;
  if (!nodeOptions?.includes('--max-old-space-size=')) throw new Error(`${file} sets no heap size`);
  const cpuMillis = millisOf(resources.requests.cpu);
  return { cpuMillis, containerMb: Number(size) * UNITS[unit!]!, nodeOptions };
}

/** `250m` or `2`. */
function millisOf(cpu: string): number {
  return cpu.endsWith('m') ? Number(cpu.slice(0, -1)) : Number(cpu) * 1000;
}

function containerIn(file: string): Container {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map(
    (document) => document.toJSON() as { kind: string; spec: { template: { spec: { containers: Container[] } } } },
  );
  const workload = documents.find(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
  if (!workload) throw new Error(`${file} contains no workload`);
  return workload.spec.template.spec.containers[0]!;
}
