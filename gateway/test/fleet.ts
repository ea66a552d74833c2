import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshBacking } from '@waymark/testing/backing';
import { IdentityKeys } from '@waymark/testing/keys';
import { urlOf } from '@waymark/testing/urls';
import { freePorts } from '@waymark/stack/ports';
import { ManagedProcess } from '@waymark/launcher/managed-process';
import { entryOf, type ProcessName } from '@waymark/launcher/process-table';
import { waitUntilReady } from '@waymark/launcher/system';

export interface FleetOptions {
  env?: Record<string, string>;
  /** Clock error of the second gateway and the second auth. */
  clockOffMs?: number;
}

/** Two gateways, each with its own auth, as processes on one store; one server stands in for all other services. */
export class Fleet {
  readonly backing = freshBacking();
  readonly auths: ManagedProcess[] = [];
  readonly gateways: ManagedProcess[] = [];
  /** Requests that reached a service. */
  passed = 0;
  private readonly folder = mkdtempSync(join(tmpdir(), 'waymark-fleet-'));
  private readonly keys = new IdentityKeys();
  private readonly upstream = createServer((_request, response) => {
    this.passed += 1;
    response.setHeader('content-type', 'application/json').end('{"data":[]}');
  });

  static async start(options: FleetOptions = {}): Promise<Fleet> {
    const fleet = new Fleet();
    await new Promise<void>((resolve) => fleet.upstream.listen(0, '127.0.0.1', resolve));
    try {
      await fleet.startPair(options.env ?? {});
      await fleet.startPair({ ...options.env, ...fleet.clockOff(options.clockOffMs ?? 0) });
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  async stop(): Promise<void> {
    for (const processes of [this.gateways, this.auths]) await Promise.all(processes.map((one) => one.stop()));
    this.upstream.closeAllConnections();
    await new Promise((resolve) => this.upstream.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startPair(env: Record<string, string>): Promise<void> {
    const api = { IDENTITY_KEY: this.keys.keyOf('auth'), API_BASE_URL: 'http://api.test' };
    const auth = await this.startProcess('auth', { ...this.backing, ...api, ...env });
    const other = urlOf(this.upstream);
    await this.startProcess('gateway', {
      IDENTITY_SECRET: this.keys.secret,
      AUTH_URL: auth.url,
      RESOURCE_URL: other,
      ANALYTICS_URL: other,
      WEBHOOK_URL: other,
      DOMAIN_URL: other,
      AUDIT_URL: other,
      ...env,
    });
  }

  private async startProcess(name: ProcessName, env: Record<string, string>): Promise<ManagedProcess> {
    const [port, opsPort] = (await freePorts(2)) as [number, number];
    const base = { HOST: '127.0.0.1', PORT: String(port), OPS_PORT: String(opsPort), LOG_LEVEL: 'error' };
    const entry = name === 'gateway' ? this.patientGateway() : entryOf(name);
    const plan = { name, port, opsPort, entry, env: { ...base, ...env } };
    const process = new ManagedProcess(plan, join(this.folder, `${name}-${port}.log`), () => undefined);
    (name === 'auth' ? this.auths : this.gateways).push(process);
    await process.start();
    await waitUntilReady(process);
    return process;
  }

  /** Writes the program of a gateway that waits for auth as long as a busy machine needs. */
  private patientGateway(): string {
    const file = join(this.folder, 'gateway.cjs');
    const app = (module: string) => JSON.stringify(entryOf('gateway', `${module}.js`));
    writeFileSync(
      file,
      `const { runProcess } = require(${JSON.stringify(require.resolve('../../shared/kernel/dist/process/lifecycle.js'))});
       const { startGateway } = require(${app('app')});
       const { gatewayConfig } = require(${app('config')});
       runProcess('gateway', gatewayConfig, (parts) => startGateway(parts, { authorizeTimeoutMs: 20_000 }));`,
    );
    return file;
  }

  private clockOff(ms: number): Record<string, string> {
    if (ms === 0) return {};
    const file = join(this.folder, 'clock-off.cjs');
    writeFileSync(
      file,
      `const now = Date.now;
       globalThis.Date = new Proxy(Date, {
         construct: (Right, args) => new Right(...(args.length === 0 ? [now() + ${ms}] : args)),
       });
       Date.now = () => now() + ${ms};`,
    );
    return { NODE_OPTIONS: `--require ${file}` };
  }
}
