import type { EventContext } from '@waymark/contract/event';
import type { Link } from './link.js';

/** The workspace that content belongs to, as its identity or an import job names it. */
export interface Owner {
  slug: string;
  /** `activeLinks`: how many links or QR codes may be active; `null` is unlimited. */
  plan: { activeLinks: number | null };
}

/** The owner of the changed links with its plan, and the context of the change. */
export interface Author {
  owner: Owner;
  event: EventContext;
  /** Aborted when the client has gone: a change that has not begun is dropped. */
  signal?: AbortSignal;
}

export interface Change {
  /** `null` if the link is created. */
  before: Link | null;
  /** `null` if the link is deleted. */
  after: Link | null;
}
