import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { nameOf, slugOf, workspaceSlug } from '@waymark/contract/common';
import { WORK_QUEUES } from '@waymark/contract/queues';
import { planName } from '@waymark/contract/plans';
import { role, type Ability } from '@waymark/contract/roles';
import { createToken as createTokenInput } from '@waymark/contract/tokens';
import { newSlug } from '@waymark/contract/workspaces';
import type { Command } from '@waymark/kernel/process/command-line';
import { listParked, replayParked } from '@waymark/kernel/broker/parked';
import { invalid } from '@waymark/kernel/errors';
import { createToken } from '../tokens/create-token.js';
import { presentToken } from '../tokens/present-token.js';
import { createUser } from '../users/create-user.js';
import type { User } from '../users/store.js';
import { createWorkspace } from '../workspaces/create-workspace.js';
import { setMember } from '../members/set-member.js';
import { setPlan } from '../workspaces/set-plan.js';
import type { AdminContext } from './context.js';
import { ensureDemo } from './demo.js';

/** Each command connects only to the targets that it uses. */
export interface AdminTargets {
  database: <T>(work: (ctx: AdminContext) => Promise<T>) => Promise<T>;
  broker: () => { url: string; namespace: string };
}

type AdminCommand = Command<AdminTargets>;

const command = <S extends z.ZodObject>(definition: Command<AdminTargets, S>): AdminCommand => definition;

/** A command on the database of auth. */
const databaseCommand = <S extends z.ZodObject>(definition: {
  usage: string;
  options: S;
  run: (ctx: AdminContext, options: z.output<S>) => Promise<unknown>;
}): AdminCommand =>
  command<S>({ ...definition, run: (on, options) => on.database((ctx) => definition.run(ctx, options)) });

const email = z.email('must be an e-mail address').max(320);
const name = nameOf(100);
const password = z.string().min(8, 'must have at least 8 characters').max(1024);
const queue = z.enum(WORK_QUEUES);
const limit = z.coerce.number().int().min(1).max(10_000).default(1000);
const OPERATOR = { workspace: null };

async function existingUser(ctx: AdminContext, address: string): Promise<User> {
  const user = await ctx.users.byEmail(address);
  if (!user) throw invalid({ email: ['There is no such user.'] });
  return user;
}

const GRANTS: Record<string, Ability[]> = { read: ['read'], write: ['write'], read_write: ['read', 'write'] };

export const COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'user create': databaseCommand({
    usage: '--email E --name N [--password P]  (prints a password that it makes, unless one is given)',
    options: z.object({ email, name, password: password.optional() }),
    run: async (ctx, { password: given, ...options }) => {
      const made = given === undefined ? randomBytes(15).toString('base64url') : undefined;
      const user = await createUser(ctx, { ...options, password: given ?? made! });
      return { id: user._id, email: user.email, name: user.name, password: made, created_at: user.createdAt };
    },
  }),
  'workspace create': databaseCommand({
    usage: '--slug S --name N --owner E [--plan free|pro|business|enterprise]',
    options: z.object({ slug: newSlug, name, owner: email, plan: planName.optional() }),
    run: async (ctx, { slug, name: workspaceName, owner, plan }) => {
      const user = await existingUser(ctx, owner);
      const input = { slug, name: workspaceName, owner: user, plan: plan ?? null };
      const workspace = await createWorkspace(ctx, OPERATOR, input);
      return { slug, name: workspace.name, owner: user.email, plan: plan ?? ctx.config.DEFAULT_PLAN };
    },
  }),
  'workspace plan': databaseCommand({
    usage: '--slug S --plan free|pro|business|enterprise',
    options: z.object({ slug: slugOf('slug'), plan: planName }),
    run: async (ctx, { slug, plan }) => {
      await setPlan(ctx, OPERATOR, slug, plan);
      return { slug, plan };
    },
  }),
  'member set': databaseCommand({
    usage: '--workspace S --email E --role owner|admin|editor|analyst|viewer',
    options: z.object({ workspace: workspaceSlug, email, role }),
    run: async (ctx, options) => {
      const user = await existingUser(ctx, options.email);
      if (!(await ctx.workspaces.bySlug(options.workspace)))
        throw invalid({ workspace: ['There is no such workspace.'] });
      const { workspace, role: given } = options;
      await setMember(ctx, OPERATOR, { workspace, user, role: given, by: 'operator', mode: 'set' });
      return { workspace: options.workspace, email: user.email, role: options.role };
    },
  }),
  'token create': databaseCommand({
    usage: '--workspace S --email E --name N --ability read|write|read_write',
    options: z.object({
      workspace: workspaceSlug,
      email,
      name: createTokenInput.shape.name,
      ability: z.enum(['read', 'write', 'read_write']),
    }),
    run: async (ctx, { workspace, email: address, name: tokenName, ability }) => {
      const user = await existingUser(ctx, address);
      if (!(await ctx.workspaces.membership(workspace, user._id))) {
        throw invalid({ email: ['The user is no member of this workspace.'] });
      }
      const grants = GRANTS[ability]!;
      const input = { workspace, userId: user._id, name: tokenName, grants, expiresAt: null };
      const { token, plaintext } = await createToken(ctx, { workspace }, input);
      return { ...presentToken(token, user), plaintext_token: plaintext };
    },
  }),
  demo: databaseCommand({
    usage: '[--previous FILE]  (users, workspaces and tokens for trying things out)',
    options: z.object({ previous: z.string().optional() }),
    run: (ctx, { previous }) => ensureDemo(ctx, previous),
  }),
  'parked list': command({
    usage: '[--queue Q] [--limit N]',
    options: z.object({ queue: queue.optional(), limit }),
    run: (on, options) => listParked(on.broker(), options.queue ? [options.queue] : WORK_QUEUES, options.limit),
  }),
  'parked replay': command({
    usage: '--queue Q [--id ID] [--limit N]',
    options: z.object({ queue, id: z.string().optional(), limit }),
    run: (on, options) => replayParked(on.broker(), options.queue, options.limit, options.id),
  }),
};
