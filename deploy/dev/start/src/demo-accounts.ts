import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMANDS } from '@waymark/auth/admin/commands';
import { adminTargets } from '@waymark/auth/admin/context';
import { AppError } from '@waymark/kernel/errors';

export const ACME = 'acme-corp';
const GLOBEX = 'globex';

/** The demo users: their roles, and the workspace of their token. */
const PEOPLE: Record<string, { roles: Record<string, string>; tokenFor: string }> = {
  owner: { roles: { [ACME]: 'owner' }, tokenFor: ACME },
  admin: { roles: { [ACME]: 'admin' }, tokenFor: ACME },
  editor: { roles: { [ACME]: 'editor' }, tokenFor: ACME },
  analyst: { roles: { [ACME]: 'analyst' }, tokenFor: ACME },
  viewer: { roles: { [ACME]: 'viewer' }, tokenFor: ACME },
  outsider: { roles: { [GLOBEX]: 'owner' }, tokenFor: GLOBEX },
  both: { roles: { [ACME]: 'editor', [GLOBEX]: 'owner' }, tokenFor: GLOBEX },
};

export interface DemoUser {
  email: string;
  password: string;
  token: string;
}

interface DemoInstallation {
  baseUrl: string;
  /** The settings of auth's operator commands. */
  adminEnv: Record<string, string>;
}

type RunCommand = (name: string, options: Record<string, string>) => Promise<unknown>;

/**
 * Ensures that the demo's users, workspaces and tokens exist, by auth's operator commands; keeps the credentials of an
 * earlier start whose token is still valid.
 */
export async function ensureDemoAccounts(
  { baseUrl, adminEnv }: DemoInstallation,
  previous: Record<string, DemoUser>,
): Promise<Record<string, DemoUser>> {
  const names = Object.keys(PEOPLE);
  const areValid = await Promise.all(names.map((name) => isValidToken(baseUrl, previous[name]?.token)));
  const isKept = Object.fromEntries(names.map((name, index) => [name, areValid[index]]));
  return adminTargets(adminEnv).database(async (ctx) => {
    const run: RunCommand = (name, options) => COMMANDS[name]!.run({ database: (work) => work(ctx) }, options);
    const users: Record<string, DemoUser> = {};
    for (const name of names) users[name] = isKept[name] ? previous[name]! : await ensureUser(run, name);
    await ensureWorkspace(run, { slug: ACME, name: 'Acme Corp', owner: users['owner']!.email });
    await ensureWorkspace(run, { slug: GLOBEX, name: 'Globex', owner: users['outsider']!.email });
    for (const [name, { roles, tokenFor: workspace }] of Object.entries(PEOPLE)) {
      const { email } = users[name]!;
      for (const [slug, role] of Object.entries(roles)) await run('member set', { workspace: slug, email, role });
      if (isKept[name]) continue;
      const token = await run('token create', { workspace, email, name: 'demo', ability: 'read_write' });
      users[name]!.token = (token as { plaintext_token: string }).plaintext_token;
    }
    return users;
  });
}

/** Returns the users in the file of an earlier start, or none. */
export function readPreviousUsers(demoFile: string): Record<string, DemoUser> {
  try {
    return (JSON.parse(readFileSync(demoFile, 'utf8')) as { users?: Record<string, DemoUser> }).users ?? {};
  } catch {
    return {};
  }
}

/** A token whose owner has used up the limit of requests is valid too. */
async function isValidToken(baseUrl: string, token: string | undefined): Promise<boolean> {
  if (token === undefined) return false;
  for (;;) {
    const { status } = await fetch(`${baseUrl}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } });
    if (status !== 503) return status !== 401;
    await sleep(1000);
  }
}

async function ensureUser(run: RunCommand, name: string): Promise<DemoUser> {
  const email = `${name}@example.com`;
  const password = randomBytes(12).toString('base64url');
  await run('user create', { email, name: `Demo ${name}`, password }).catch(async (error: unknown) => {
    if (!isTaken(error, 'email')) throw error;
    await run('user password', { email, password });
  });
  return { email, password, token: '' };
}

async function ensureWorkspace(run: RunCommand, workspace: { slug: string; name: string; owner: string }) {
  await run('workspace create', workspace).catch((error: unknown) => {
    if (!isTaken(error, 'slug')) throw error;
  });
}

const isTaken = (error: unknown, field: string): boolean =>
  error instanceof AppError && error.details?.[field] !== undefined;
