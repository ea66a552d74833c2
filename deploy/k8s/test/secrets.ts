import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';
import type { DeploymentName } from '../../images/test/process-facts.js';

export interface Permissions {
  user: string;
  vhost: string;
  configure: string;
  write: string;
  read: string;
}

/** The output of the operator's command, and each Secret as the files that a pod sees. */
export class MadeSecrets {
  private readonly folder = mkdtempSync(join(tmpdir(), 'waymark-secrets-'));
  private readonly out = join(this.folder, 'out');

  constructor(private readonly deployment: DeploymentName) {
    const { status, stderr } = this.make();
    if (status !== 0) throw new Error(stderr);
  }

  make() {
    const options = {
      deployment: this.deployment,
      mongodb: 'mongodb://db-0.example.com:27017,db-1.example.com:27017/?replicaSet=rs0&tls=true',
      amqp: 'amqps://broker.example.com:5671/waymark',
      management: 'https://broker.example.com:15671',
      out: this.out,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    return spawnSync(process.execPath, [join(ROOT, 'deploy/k8s/make-secrets.mjs'), ...args], { encoding: 'utf8' });
  }

  get secrets(): { metadata: { name: string; namespace: string }; stringData: Record<string, string> }[] {
    return JSON.parse(this.file('secrets.json')).items;
  }

  get permissions(): Permissions[] {
    return JSON.parse(this.file('rabbitmq-users.json')).permissions;
  }

  file(name: string): string {
    return readFileSync(join(this.out, name), 'utf8');
  }

  /** The folder that the files of this Secret are in. */
  mount(name: string): string {
    const secret = this.secrets.find(({ metadata }) => metadata.name === name);
    if (!secret) throw new Error(`no Secret ${name} is made`);
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    for (const [key, value] of Object.entries(secret.stringData)) writeFileSync(join(folder, key), value);
    return folder;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
