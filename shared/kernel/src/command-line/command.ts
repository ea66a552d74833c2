import { z } from 'zod';
import type { Page, PageOf } from '../mongo/page.js';

/** One command of the operator. Its name is its key in a record of commands: `user create`. */
export interface Command<Targets, S extends z.ZodObject = z.ZodObject> {
  /** One line of the help, from a verb on, without a full stop. */
  summary: string;
  /** Each option has a description; `dryRun` is `--dry-run`. */
  options: S;
  /** Says what cannot be undone: the operator must confirm it, or pass `--yes`. A dry run asks nothing. */
  confirm?: (options: z.output<S>, targets: Targets) => string | Promise<string>;
  /** Returns false if this call changes nothing, so that there is nothing to confirm. */
  needsConfirmation?: (targets: Targets, options: z.output<S>) => Promise<boolean>;
  /**
   * @param targets each is opened only by the commands that need it
   * @returns what is printed: as text for people, or as JSON; `undefined` after a command that wrote its output itself
   */
  run: (targets: Targets, options: z.output<S>) => Promise<unknown>;
}

export type Commands<Targets> = Readonly<Record<string, Command<Targets>>>;

/** A command that knows its targets. */
export type BoundCommand = Omit<Command<unknown>, 'run' | 'confirm' | 'needsConfirmation'> & {
  confirm?: (options: Record<string, unknown>) => string | Promise<string>;
  run: (options: Record<string, unknown>) => Promise<unknown>;
  needsConfirmation: (options: Record<string, unknown>) => Promise<boolean>;
};
export type BoundCommands = Readonly<Record<string, BoundCommand>>;

export function bindCommands<Targets>(commands: Commands<Targets>, targets: Targets): BoundCommands {
  return Object.fromEntries(
    Object.entries(commands).map(([name, { run, confirm, needsConfirmation, ...command }]) => [
      name,
      {
        ...command,
        ...(confirm && { confirm: (options: Record<string, unknown>) => confirm(options, targets) }),
        run: (options: Record<string, unknown>) => run(targets, options),
        needsConfirmation: async (options: Record<string, unknown>) =>
          confirm !== undefined && ((await needsConfirmation?.(targets, options)) ?? true),
      },
    ]),
  );
}

/** An error in the call itself, in one line that names the option. */
export class UsageError extends Error {}

/**
 * Marks an option as a secret: it is read from a prompt (`--password-prompt`) or from the standard input
 * (`--password-stdin`), and never from an argument, which process lists and shell histories show.
 */
export const secretOption = <S extends z.ZodType>(schema: S): S => schema.meta({ ...schema.meta(), isSecret: true });

/** Marks an option as the argument of its command, which needs no flag: `link block <link>`. At most one of a command. */
export const argumentOption = <S extends z.ZodType>(schema: S): S =>
  schema.meta({ ...schema.meta(), isArgument: true });

export const dryRun = z.boolean().default(false).describe('only say what would change');

/** The options of every list. */
export const pageOptions = {
  page: z.coerce.number().int().min(1).max(100_000).default(1).describe('number of the page'),
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('rows of a page, at most 500'),
};

/** A page of a list. */
export interface Listing {
  data: readonly object[];
  meta: { page: number; last_page: number; total: number };
}

/** Reads one page of a list. */
export async function listPage<T>(
  { page, limit }: { page: number; limit: number },
  find: (page: Page) => Promise<PageOf<T>>,
): Promise<Omit<Listing, 'data'> & { data: T[] }> {
  const { items, total } = await find({ page, perPage: limit });
  return { data: items, meta: { page, last_page: Math.max(1, Math.ceil(total / limit)), total } };
}
