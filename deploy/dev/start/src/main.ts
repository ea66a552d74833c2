import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasStackData, openStack } from '@waymark/stack/stack';
import type { Stack } from '@waymark/stack/stack-types';
import { loadOrCreateSecrets } from '@waymark/launcher/secrets';
import { System } from '@waymark/launcher/system';
import { apiBaseUrl, backing, type SystemSettings } from '@waymark/launcher/process-table';
import { prepareDemo } from './demo.js';
import { demoTokens, fillExample } from './example/fill.js';
import { prepareKeys } from './installation-keys.js';
import { progressPrinter, type Progress } from './progress.js';
import { screen } from './screen.js';
import { readSettings, requireFreePort, type StartSettings } from './settings.js';

/** `bin/start.mjs` refuses any other argument before it builds. */
const hasExample = process.argv.includes('--example');

/** Everything this start has opened, so that one call can end it in any state. */
interface Running {
  stack?: Stack;
  system?: System;
  runFile?: string;
}

async function main(): Promise<void> {
  const progress = progressPrinter();
  const running: Running = {};
  const end = endOnce(running, progress);
  process.on('SIGINT', () => end('stopping', 0));
  process.on('SIGTERM', () => end('stopping', 0));
  process.on('SIGHUP', () => end('stopping', 0));
  try {
    await start(running, readSettings(process.env), { progress, onFailure: (problem) => end(problem, 1) });
  } catch (error) {
    end(error instanceof Error ? error.message : String(error), 1);
  }
}

async function start(
  running: Running,
  settings: StartSettings,
  { progress, onFailure }: { progress: Progress; onFailure: (problem: string) => void },
): Promise<void> {
  await requireFreePort(settings.port, 'WAYMARK_PORT');
  await requireFreePort(settings.shortPort, 'WAYMARK_SHORT_PORT');
  mkdirSync(settings.folder, { recursive: true });
  const warning = await prepareKeys(join(settings.folder, 'secrets.json'), () => hasStackData(settings.deployment));
  if (warning) progress(warning);
  running.stack = await openStack({ name: settings.deployment, progress });
  const systemSettings: SystemSettings = {
    ...settings,
    mongoUri: running.stack.mongoUri,
    amqpUrl: running.stack.amqpUrl,
    clickHouseUrl: running.stack.clickHouseUrl,
    namespace: `waymark-${settings.deployment}`,
    env: passedOn(process.env),
    envOf: { domain: { DNS_SERVERS: settings.dnsServers } },
  };
  progress('starting the services');
  running.system = await System.start(systemSettings, { onUnexpectedEnd: onFailure, progress });
  progress('preparing the demo workspace');
  const demo = await prepareDemo(running.system, settings, progress);
  const run = { pid: process.pid, processes: running.system.pids, admin_env: adminEnvironments(systemSettings) };
  writeFileSync(settings.runFile, JSON.stringify(run, null, 2), { mode: 0o600 });
  running.runFile = settings.runFile;
  if (hasExample) {
    const { workspace } = demo;
    await fillExample({ settings: systemSettings, workspace, tokens: demoTokens(demo) }, progress);
  }
  process.stdout.write(screen(demo, settings, hasExample));
}

/** The environment of the operator's commands, by service. */
function adminEnvironments(settings: SystemSettings): Record<string, Record<string, string>> {
  const services = ['auth', 'analytics', 'resource', 'domain', 'redirect', 'audit'] as const;
  const { auditKey } = loadOrCreateSecrets(join(settings.folder, 'secrets.json'));
  const common = { DEPLOYMENT: settings.deployment, API_BASE_URL: apiBaseUrl(settings) };
  const resource = { SHORT_BASE_URL: `http://127.0.0.1:${settings.shortPort}` };
  const own = { audit: { AUDIT_SIGNING_KEY: auditKey }, resource } as Partial<Record<string, Record<string, string>>>;
  return Object.fromEntries(services.map((name) => [name, { ...common, ...backing(settings, name), ...own[name] }]));
}

/** Settings of the processes that `npm start` passes on. */
const PASSED_ON = [
  ...['API_WORKSPACE_REQUESTS_PER_MINUTE', 'CORS_ORIGINS', 'DEFAULT_PLAN', 'LOG_LEVEL'],
  ...['ROOT_URL', 'NOT_FOUND_URL', 'EXPIRED_URL', 'PAGE_NAME', 'DESTINATION_BLOCKLIST', 'DESTINATION_CHECK_URL'],
];

function passedOn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function endOnce(running: Running, progress: Progress) {
  let ending = false;
  return (reason: string, exitCode: number): void => {
    if (ending) return;
    ending = true;
    if (exitCode === 0) progress(reason);
    else process.stderr.write(`Waymark stopped: ${reason}\n`);
    void stopAll(running).then(
      () => {
        progress('stopped');
        process.exit(exitCode);
      },
      (error: unknown) => {
        process.stderr.write(`stopping failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
}

async function stopAll({ system, stack, runFile }: Running): Promise<void> {
  if (runFile !== undefined) rmSync(runFile, { force: true });
  await system?.stop();
  await stack?.stop();
}

void main();
