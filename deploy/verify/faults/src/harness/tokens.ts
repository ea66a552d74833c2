import { randomUUID } from 'node:crypto';
import type { System } from '@waymark/launcher/system';
import { adminCommand } from './admin-command.js';

/** Makes an existing user a member with this role. @returns a read and write token of that member */
export async function tokenIn(
  system: System,
  { workspace, email, role }: { workspace: string; email: string; role: string },
): Promise<string> {
  await adminCommand(system, 'auth', 'member', 'set', '--workspace', workspace, '--email', email, '--role', role);
  const token = ['--workspace', workspace, '--email', email, '--name', 'fault', '--ability', 'read_write'];
  return ((await adminCommand(system, 'auth', 'token', 'create', ...token)) as { plaintext_token: string })
    .plaintext_token;
}

/** @returns a read and write token of a new user that is a member with this role */
export async function tokenOfNewMember(
  system: System,
  { workspace, role }: { workspace: string; role: string },
): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await adminCommand(system, 'auth', 'user', 'create', '--email', email, '--name', role);
  return tokenIn(system, { workspace, email, role });
}
