import { z } from 'zod';
import type { EventContext } from '@waymark/contract/event';
import { workspaceSlug } from '@waymark/contract/common';
import { asciiEmail, EMAIL_MAX, KNOWN_EMAIL_MAX } from '@waymark/contract/users';
import { invalidOption } from '@waymark/kernel/errors';
import type { Command } from '@waymark/kernel/command-line/command';
import type { User } from '../users/user-store.js';
import type { Workspace } from '../workspaces/workspace-store.js';
import type { AdminContext, AdminTargets } from './context.js';

export type AdminCommand = Command<AdminTargets>;

interface DatabaseCommand<S extends z.ZodObject> extends Omit<Command<AdminTargets, S>, 'run' | 'needsConfirmation'> {
  /** The same as `confirm`, for what only the database knows. */
  confirmWith?: (ctx: AdminContext, options: z.output<S>) => Promise<string>;
  needsConfirmation?: (ctx: AdminContext, options: z.output<S>) => Promise<boolean>;
  run: (ctx: AdminContext, options: z.output<S>) => Promise<unknown>;
}

/** A command that needs the database of auth. */
export function databaseCommand<S extends z.ZodObject>(definition: DatabaseCommand<S>): AdminCommand {
  const { needsConfirmation, confirmWith, ...rest } = definition;
  const command: Command<AdminTargets, S> = {
    ...rest,
    ...(confirmWith && {
      confirm: (options, targets) => targets.database((ctx) => confirmWith(ctx, options)),
    }),
    ...(needsConfirmation && {
      needsConfirmation: (targets, options) => targets.database((ctx) => needsConfirmation(ctx, options)),
    }),
    run: (targets, options) => targets.database((ctx) => definition.run(ctx, options)),
  };
  return command;
}

/** Events without an actor are the operator's. */
export const OPERATOR: EventContext = { workspace: null };

const emailOf = (max: number) =>
  z
    .string()
    .overwrite((text) => asciiEmail(text.trim()))
    .pipe(z.email('must be an e-mail address').max(max, `must be at most ${max} characters long`))
    .describe('e-mail address of the user');
export const email = emailOf(KNOWN_EMAIL_MAX);
export const newEmail = emailOf(EMAIL_MAX);
export const workspace = workspaceSlug.describe('slug of the workspace');

export async function findExistingUser(ctx: AdminContext, address: string, field = 'email'): Promise<User> {
  const user = await ctx.users.findUserByEmail(address);
  if (!user) throw invalidOption(field, 'The user does not exist.');
  return user;
}

export async function findExistingWorkspace(ctx: AdminContext, slug: string, field = 'workspace'): Promise<Workspace> {
  const found = await ctx.workspaces.findWorkspace(slug);
  if (!found) throw invalidOption(field, 'The workspace does not exist.');
  return found;
}
