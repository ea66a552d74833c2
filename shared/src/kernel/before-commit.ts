import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongoose';

/** Runs in a transaction after its work, with the work's result; what it throws undoes both. */
export type BeforeCommit = (result: unknown, session: ClientSession) => Promise<void>;

/** What surrounds a piece of work may add to its transaction without the work knowing. */
export const beforeCommit = new AsyncLocalStorage<BeforeCommit | undefined>();

/** Runs work whose transactions are not the one that is to be added to. */
export const withoutBeforeCommit = <T>(work: () => T): T => beforeCommit.run(undefined, work);
