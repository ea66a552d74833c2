import type { Head } from '../chain/chain.js';

/** What auth, whose database is another one, knows of a log. */
export interface KeptHead {
  /** The highest head that auth has received; `null` before the first one. */
  head: Head | null;
  /** When the workspace was created; `null` for one that does not exist. */
  createdAt: Date | null;
}

/** The first entry of a new workspace waits behind those of others: longer, only while something is broken. */
const FIRST_ENTRY_MAX_MS = 3600_000;

/** Whether the log must have an entry by now: a workspace begins with one. */
export const hasFirstEntry = ({ head, createdAt }: KeptHead, now: Date): boolean =>
  head !== null || (createdAt !== null && createdAt.getTime() < now.getTime() - FIRST_ENTRY_MAX_MS);
