import { locationFor } from '../destinations/destination.js';
import { forwardedPath } from '../destinations/forwarded-path.js';
import type { Host } from '../hosts/host.js';
import type { Miss } from '../read-model/record-cache.js';
import { closedBecause } from '../targets/opening.js';
import type { RedirectTarget } from '../targets/target.js';
import type { WorkspaceStates } from '../workspaces/workspace-states.js';
import type { ParsedUrl } from './parse-url.js';
import type { Refusal } from './refusals.js';

export interface RedirectRequest extends ParsedUrl {
  /** `null` for the default short host. */
  hostname: string | null;
}

export interface Found {
  /** `null` for the default short host. */
  host: Host | Miss | null;
  target: RedirectTarget | Miss;
  wanted: RedirectRequest;
}

/** What decides about a visit, in this order. */
export const STEPS = ['host', 'code', 'blocked', 'archived', 'availability', 'query'] as const;
export type Step = (typeof STEPS)[number];

/** What a visitor gets, and the step that decides it. */
export type Decision =
  | { step: Step; answer: 'refusal'; refusal: Refusal }
  /** There is no such host or code. */
  | { step: Step; answer: 'miss' }
  /** The host exists, the path does not. */
  | { step: Step; answer: 'fallback' }
  | { step: Step; answer: 'expired'; location: string }
  | { step: Step; answer: 'redirect'; location: string; isQr: boolean; target: RedirectTarget };

export interface DecisionContext {
  workspaces: Pick<WorkspaceStates, 'refusalFor'>;
}

const refuse = (step: Step, refusal: Refusal): Decision => ({ step, answer: 'refusal', refusal });

/** Decides in memory, without waiting. @param now in milliseconds */
export function decide({ workspaces }: DecisionContext, { host, target, wanted }: Found, now: number): Decision {
  if (host === 'gone') return refuse('host', 'erased');
  if (host === 'absent') return { step: 'host', answer: 'miss' };
  const refusal = workspaces.refusalFor(ownerOf(host, target));
  if (refusal) return refuse('host', refusal);
  const { path } = wanted;
  if (!path) return { step: 'code', answer: 'fallback' };
  if (target === 'gone') return refuse('code', 'erased');
  // Another workspace now owns the host: the link is absent there until its own change arrives.
  if (target === 'absent' || (host && host.workspace !== target.workspace)) return { step: 'code', answer: 'miss' };
  const rest = path.rest === '' ? '' : target.forwardsPath ? forwardedPath(path.rest) : undefined;
  if (rest === undefined) return { step: 'code', answer: 'fallback' };
  if (target.isArchived) return refuse('archived', 'gone');
  const closed = target.opening && closedBecause(target.opening, now);
  if (closed === 'scheduled') return refuse('availability', 'scheduled');
  if (closed) {
    const location = target.opening!.expired;
    return location === null
      ? refuse('availability', 'expired')
      : { step: 'availability', answer: 'expired', location };
  }
  if (!target.destination) return { step: 'query', answer: 'fallback' };
  const { location, qr } = locationFor(target.destination, wanted.query, rest);
  return { step: 'query', answer: 'redirect', location, isQr: qr || path.isQr, target };
}

/** `undefined` where there is nothing. */
const ownerOf = (host: Host | null, target: RedirectTarget | Miss): string | undefined =>
  host?.workspace ?? (isMiss(target) ? undefined : target.workspace);

export const isMiss = (found: object | Miss | null | undefined): found is Miss => typeof found === 'string';
