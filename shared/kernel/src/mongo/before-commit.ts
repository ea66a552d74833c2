import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongoose';

/** Runs in a transaction after its work, with the work's result; an error it throws rolls back both. */
export type BeforeCommit = (result: unknown, session: ClientSession) => Promise<void>;

/** Lets the caller of some work add to the work's transaction without the work knowing. */
export const beforeCommit = new AsyncLocalStorage<BeforeCommit | undefined>();

/** Runs work to whose transactions nothing is added. */
export const withoutBeforeCommit = <T>(work: () => T): T => beforeCommit.run(undefined, work);
