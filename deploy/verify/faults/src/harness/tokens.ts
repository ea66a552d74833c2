import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { backing, entryOf } from '@waymark/launcher/process-table';
import type { System } from '@waymark/launcher/system';

/** Runs a command of auth's command line, as an operator does. */
export async function adminCommand(system: System, ...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [entryOf('auth', 'admin/main.js'), ...args, '--json'],
    {
      env: { PATH: process.env['PATH'], ...backing(system.settings, 'auth') },
    },
  );
  return JSON.parse(stdout);
}

/** Makes an existing user a member with this role. @returns a read and write token of that member */
export async function tokenIn(
  system: System,
  { workspace, email, role }: { workspace: string; email: string; role: string },
): Promise<string> {
  await adminCommand(system, 'member', 'set', '--workspace', workspace, '--email', email, '--role', role);
  const token = ['--workspace', workspace, '--email', email, '--name', 'fault', '--ability', 'read_write'];
  return ((await adminCommand(system, 'token', 'create', ...token)) as { plaintext_token: string }).plaintext_token;
}

/** @returns a read and write token of a new user that is a member with this role */
export async function tokenOfNewMember(
  system: System,
  { workspace, role }: { workspace: string; role: string },
): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await adminCommand(system, 'user', 'create', '--email', email, '--name', role);
  return tokenIn(system, { workspace, email, role });
}
