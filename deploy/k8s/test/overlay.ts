import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { buildKustomization } from './kustomize.js';
import { ROOT } from '@waymark/launcher/process-table';
import type { ProcessName } from '@waymark/launcher/process-table';
import type { DeploymentName } from '../../images/test/process-facts.js';

/** An object as kustomize prints it; the schema test validates it. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec?: any;
  data?: Record<string, string>;
}

const ROLE = 'waymark/role';

/** All objects of one installation. */
export class Overlay {
  private constructor(
    readonly deployment: DeploymentName,
    readonly objects: KubernetesObject[],
  ) {}

  static build(deployment: DeploymentName): Promise<Overlay> {
    return Overlay.buildIn(join(ROOT, 'deploy/k8s/overlays', deployment), deployment);
  }

  /** Builds the overlay of a deployment with further components. */
  static async buildWith(deployment: DeploymentName, components: string[]): Promise<Overlay> {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-overlay-'));
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [relative(folder, join(ROOT, 'deploy/k8s/overlays', deployment))],
      components: components.map((name) => relative(folder, join(ROOT, 'deploy/k8s/components', name))),
    };
    try {
      writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
      return await Overlay.buildIn(folder, deployment);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  private static async buildIn(folder: string, deployment: DeploymentName): Promise<Overlay> {
    const text = await buildKustomization(folder, (line) => process.stderr.write(`${line}\n`));
    return new Overlay(
      deployment,
      parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject),
    );
  }

  ofKind(...kinds: string[]): KubernetesObject[] {
    return this.objects.filter(({ kind }) => kinds.includes(kind));
  }

  named(kind: string, name: string): KubernetesObject {
    const object = this.objects.find((candidate) => candidate.kind === kind && candidate.metadata.name === name);
    if (!object) throw new Error(`the overlay ${this.deployment} has no ${kind} ${name}`);
    return object;
  }

  /** The objects that run our processes. */
  get workloads(): KubernetesObject[] {
    return this.ofKind('Deployment', 'StatefulSet').filter(({ metadata }) => metadata.labels?.[ROLE] !== 'server');
  }

  /** The objects that run third-party servers. */
  get servers(): KubernetesObject[] {
    return this.ofKind('Deployment', 'StatefulSet').filter(({ metadata }) => metadata.labels?.[ROLE] === 'server');
  }

  workload(name: ProcessName): KubernetesObject {
    return this.named(name === 'redirect' ? 'StatefulSet' : 'Deployment', name);
  }

  podOf(name: ProcessName) {
    const { metadata, spec } = this.workload(name).spec.template;
    return { labels: metadata.labels as Record<string, string>, spec, container: spec.containers[0] };
  }

  /** The environment of a process; a file of a Secret is named as it is in the pod. */
  environmentOf(name: ProcessName): Record<string, string> {
    const { container } = this.podOf(name);
    const fromMaps = container.envFrom.map(({ configMapRef }: any) => this.named('ConfigMap', configMapRef.name).data);
    const own = container.env.map((variable: any) => [variable.name, variable.value]);
    return { ...Object.assign({}, ...fromMaps), ...Object.fromEntries(own) };
  }

  /** Where each Secret is in the pod. */
  secretMountsOf(name: ProcessName): { secret: string; path: string }[] {
    const { spec, container } = this.podOf(name);
    return spec.volumes
      .filter((volume: any) => volume.secret)
      .map((volume: any) => ({
        secret: volume.secret.secretName,
        path: container.volumeMounts.find((mount: any) => mount.name === volume.name).mountPath,
      }));
  }
}
