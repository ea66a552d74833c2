import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { backing, entryOf } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';

/** Runs a command of a service's command line, as an operator does. @throws when it prints no report */
export async function adminCommand(
  { settings }: System,
  service: 'auth' | 'resource' | 'analytics',
  ...args: string[]
): Promise<unknown> {
  const env = {
    PATH: process.env['PATH'],
    DEPLOYMENT: settings.deployment,
    SHORT_BASE_URL: `http://127.0.0.1:${settings.shortPort}`,
    ...backing(settings, service),
  };
  const program = [entryOf(service, 'admin/main.js'), ...args, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { env }).catch(
    (error: Error & { stdout: string }) => {
      // A check that finds a difference ends with 1, and prints its report anyway.
      if (error.stdout === '') throw error;
      return error;
    },
  );
  return JSON.parse(stdout);
}

/** Returns how many scans and conversions of a workspace are only in the database, or only in the warehouse. */
export async function warehouseDifferences(system: System, workspace: string): Promise<number> {
  const report = await adminCommand(system, 'analytics', 'warehouse', 'check', '--workspace', workspace);
  const { scans, conversions } = report as Record<'scans' | 'conversions', { missing: number; surplus: number }>;
  return scans.missing + scans.surplus + conversions.missing + conversions.surplus;
}
