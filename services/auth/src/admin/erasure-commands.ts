import { z } from 'zod';
import { slugOf } from '@waymark/contract/common';
import { dryRun } from '@waymark/kernel/command-line/command';
import { writeProgress } from '@waymark/kernel/command-line/terminal';
import { resumeWorkspace, suspendWorkspace } from '../workspaces/suspend-workspace.js';
import { databaseCommand, email, findExistingUser, OPERATOR } from './database-command.js';
import { eraseUserAndWait, eraseWorkspace, previewUserErasure, previewWorkspaceErasure } from './erase.js';

const slug = slugOf('slug').describe('slug of the workspace');
const id = z.string().max(64).optional().describe('id of the user, also of one who is erased already');
const wait = z.coerce
  .number()
  .int()
  .min(0)
  .max(86_400)
  .default(600)
  .describe('seconds to wait for the reports of the services');
const reason = z.string().trim().min(1, 'must not be empty').max(500).describe('the reason that its members see');
const links = z.enum(['keep', 'block']).describe('whether its links keep working or answer 451');

/** What the operator cannot see from the command's end; measured, see docs/operations/operations.md. */
const IN_FORCE = 'API: from the next request on; links: within 5 seconds';

export const ERASURE_COMMANDS = {
  'workspace suspend': databaseCommand({
    summary: 'Refuses every request of members and tokens of a workspace, with the reason',
    options: z.object({ slug, reason, links }),
    run: async (ctx, options) => {
      await suspendWorkspace(ctx, OPERATOR, options);
      return { ...options, in_force: IN_FORCE };
    },
  }),
  'workspace resume': databaseCommand({
    summary: 'Ends the suspension of a workspace',
    options: z.object({ slug }),
    run: async (ctx, options) => {
      await resumeWorkspace(ctx, OPERATOR, options.slug);
      return { ...options, in_force: IN_FORCE };
    },
  }),
  'workspace erase': databaseCommand({
    summary: 'Erases a workspace from every service; called again, shows the report',
    options: z.object({ slug, wait, dryRun }),
    confirm: (options) =>
      `This erases everything in ${options.slug}, its audit log included (audit export saves it first); its links answer 410.`,
    needsConfirmation: async ({ orders }, options) => (await orders.findOrder('workspace', options.slug)) === null,
    run: (ctx, options) =>
      options.dryRun
        ? previewWorkspaceErasure(ctx, options.slug)
        : eraseWorkspace(ctx, options.slug, { seconds: options.wait, onProgress: writeProgress }),
  }),
  'user erase': databaseCommand({
    summary: 'Erases a user from every service; called again with the id, shows the report',
    options: z
      .object({ email: email.optional(), id, wait, dryRun })
      .refine((options) => (options.email === undefined) !== (options.id === undefined), {
        path: ['email'],
        message: 'either the e-mail address or the id is required',
      }),
    confirm: (options) => `This erases the account of ${options.email ?? options.id} and every trace of their name.`,
    needsConfirmation: async ({ orders }, { id: userId }) =>
      userId === undefined || (await orders.findOrder('user', userId)) === null,
    run: async (ctx, options) => {
      const id = options.id ?? (await findExistingUser(ctx, options.email!))._id;
      if (options.dryRun) return previewUserErasure(ctx, id);
      return eraseUserAndWait(ctx, id, { seconds: options.wait, onProgress: writeProgress });
    },
  }),
};
