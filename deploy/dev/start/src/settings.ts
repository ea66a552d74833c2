import { createServer } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '@waymark/launcher/process-table';

export interface StartSettings {
  deployment: 'links' | 'qr';
  port: number;
  shortPort: number;
  /** The name servers that the domain service queries; empty for those of this machine. */
  dnsServers: string;
  /** Everything a local installation keeps beside the code. */
  folder: string;
  demoFile: string;
  /** How other commands find the running system. */
  runFile: string;
}

/** @throws Error with one line that names the wrong variable. */
export function readSettings(env: NodeJS.ProcessEnv): StartSettings {
  const deployment = env['DEPLOYMENT'] ?? 'links';
  if (deployment !== 'links' && deployment !== 'qr')
    throw new Error(`DEPLOYMENT must be links or qr, not '${deployment}'`);
  const local = env['WAYMARK_LOCAL_DIR'] ?? join(ROOT, '.local');
  const port = portFrom(env, 'WAYMARK_PORT', 8080);
  const shortPort = portFrom(env, 'WAYMARK_SHORT_PORT', 8090);
  if (port === shortPort) throw new Error('WAYMARK_PORT and WAYMARK_SHORT_PORT must differ');
  return {
    deployment,
    port,
    shortPort,
    dnsServers: env['DNS_SERVERS'] ?? '',
    folder: join(local, deployment),
    demoFile: join(local, `demo.${deployment}.json`),
    runFile: join(local, `run.${deployment}.json`),
  };
}

function portFrom(env: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const value = env[name] === undefined ? fallback : Number(env[name]);
  if (!Number.isInteger(value) || value < 1 || value > 65535)
    throw new Error(`${name} must be a port, not '${env[name]}'`);
  return value;
}

/** @throws Error when another process listens there, or this user may not. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const problem = code === 'EACCES' ? 'is not allowed for this user' : 'is taken';
      reject(new Error(`port ${port} ${problem}; choose another with ${variable}=…`));
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
