import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Role } from '@waymark/contract/roles';
import { createToken } from '../tokens/create-token.js';
import { hashOfSecret } from '../secret-hash.js';
import { createUser } from '../users/create-user.js';
import { hashPassword, verifyPassword } from '../users/password.js';
import type { User } from '../users/store.js';
import { createWorkspace } from '../workspaces/create-workspace.js';
import { setMember } from '../members/set-member.js';
import type { AdminContext } from './context.js';

const ACME = 'acme-corp';
const GLOBEX = 'globex';

/** The demo users: their roles, and the workspace of their token. */
const PEOPLE: Record<string, { roles: Record<string, Role>; tokenFor: string }> = {
  owner: { roles: { [ACME]: 'owner' }, tokenFor: ACME },
  admin: { roles: { [ACME]: 'admin' }, tokenFor: ACME },
  editor: { roles: { [ACME]: 'editor' }, tokenFor: ACME },
  analyst: { roles: { [ACME]: 'analyst' }, tokenFor: ACME },
  viewer: { roles: { [ACME]: 'viewer' }, tokenFor: ACME },
  outsider: { roles: { [GLOBEX]: 'owner' }, tokenFor: GLOBEX },
  both: { roles: { [ACME]: 'editor', [GLOBEX]: 'owner' }, tokenFor: GLOBEX },
};

const credentials = z.object({ email: z.string(), password: z.string(), token: z.string() });
const demo = z.object({ users: z.record(z.string(), credentials) });
type Credentials = z.infer<typeof credentials>;

/**
 * Ensures that the demo's users, workspaces and tokens exist; keeps credentials of the previous file that still work.
 */
export async function ensureDemo(ctx: AdminContext, previousFile: string | undefined) {
  const previous = await readPrevious(previousFile);
  const users: Record<string, Credentials> = {};
  const people: Record<string, User> = {};
  for (const key of Object.keys(PEOPLE)) {
    const { user, password } = await ensureUser(ctx, key, previous[key]?.password);
    people[key] = user;
    users[key] = { email: user.email, password, token: '' };
  }
  await ensureWorkspace(ctx, ACME, 'Acme Corp', people['owner']!);
  await ensureWorkspace(ctx, GLOBEX, 'Globex', people['outsider']!);
  for (const [key, { roles, tokenFor }] of Object.entries(PEOPLE)) {
    for (const [slug, role] of Object.entries(roles)) {
      const input = { workspace: slug, user: people[key]!, role, by: 'operator' as const, mode: 'set' as const };
      await setMember(ctx, { workspace: slug }, input);
    }
    users[key]!.token = await ensureToken(ctx, people[key]!, tokenFor, previous[key]?.token);
  }
  return { workspace: ACME, users };
}

async function readPrevious(file: string | undefined): Promise<Record<string, Credentials>> {
  if (file === undefined) return {};
  try {
    return demo.parse(JSON.parse(await readFile(file, 'utf8'))).users;
  } catch {
    return {};
  }
}

async function ensureUser(ctx: AdminContext, key: string, previous: string | undefined) {
  const email = `${key}@example.com`;
  const name = `Demo ${key}`;
  const user = await ctx.users.byEmail(email);
  const fresh = randomBytes(12).toString('base64url');
  if (!user) return { user: await createUser(ctx, { email, name, password: fresh }), password: fresh };
  if (previous !== undefined && (await verifyPassword(user.passwordHash, previous)))
    return { user, password: previous };
  await ctx.users.setPassword(user._id, await hashPassword(fresh));
  return { user, password: fresh };
}

async function ensureWorkspace(ctx: AdminContext, slug: string, name: string, owner: User): Promise<void> {
  if (await ctx.workspaces.bySlug(slug)) return;
  await createWorkspace(ctx, { workspace: slug }, { slug, name, owner, plan: null });
}

async function ensureToken(ctx: AdminContext, user: User, workspace: string, previous: string | undefined) {
  const known = previous === undefined ? null : await ctx.tokens.byHash(hashOfSecret(previous));
  if (known?.userId === user._id && known.workspace === workspace) return previous!;
  const input = {
    workspace,
    userId: user._id,
    name: 'demo',
    grants: ['read' as const, 'write' as const],
    expiresAt: null,
  };
  const { plaintext } = await createToken(ctx, { workspace }, input);
  return plaintext;
}
