import { ACCESS_COMMANDS } from './access-commands.js';
import { ERASURE_COMMANDS } from './erasure-commands.js';
import type { AdminCommand } from './database-command.js';
import { MEMBER_COMMANDS } from './member-commands.js';
import { SESSION_COMMANDS } from './session-commands.js';
import { TOKEN_COMMANDS } from './token-commands.js';
import { USER_COMMANDS } from './user-commands.js';
import { WORKSPACE_COMMANDS } from './workspace-commands.js';

/**
 * The operator's commands of auth. To add one:
 *
 * 1. Write `'user disable': databaseCommand({ summary, options, run })` into a record, in a file of this folder or in
 *    one of its own beside it, and spread that record here. `run` calls the function that the API route calls too, with
 *    the event context `OPERATOR`, and returns what is printed: an object, a list, or a page (`listPage`).
 * 2. Give each option a description: `z.string().describe('…')`. `secretOption` is for passwords, `dryRun` for changes
 *    in bulk, `confirm` for what cannot be undone. `writeProgress` reports the progress of a long command.
 * 3. A new first word goes into `COMMAND_GROUPS` of the contract.
 */
export const COMMANDS: Readonly<Record<string, AdminCommand>> = {
  ...USER_COMMANDS,
  ...ACCESS_COMMANDS,
  ...WORKSPACE_COMMANDS,
  ...ERASURE_COMMANDS,
  ...MEMBER_COMMANDS,
  ...TOKEN_COMMANDS,
  ...SESSION_COMMANDS,
};
