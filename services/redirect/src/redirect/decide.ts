import type { DestinationBlocks } from '../blocks/destination-blocks.js';
import { locationFor } from '../destinations/destination.js';
import { forwardedPath } from '../destinations/forwarded-path.js';
import { NO_HOST, type Host, type HostSettings } from '../hosts/host.js';
import type { Refusal } from '../pages/refusals.js';
import type { Miss } from '../read-model/record-cache.js';
import { closedBecause } from '../targets/opening.js';
import type { RedirectTarget } from '../targets/target.js';
import type { WorkspaceStates } from '../workspaces/workspace-states.js';
import { fileAt, type HostFile } from './host-files.js';
import type { ParsedUrl } from './parse-url.js';

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

interface Redirected {
  step: Step;
  location: string;
  /** Whether search engines may index the redirect. */
  isIndexable: boolean;
}

/** What a visitor gets, and the step that decides it. */
export type Decision =
  | { step: Step; answer: 'refusal'; refusal: Refusal }
  /** There is no such host or code. */
  | { step: Step; answer: 'miss'; host: HostSettings }
  | { step: Step; answer: 'file'; file: HostFile }
  /** To an address of the host, for its bare name, for what it does not have, or for a link that has ended. */
  | ({ answer: 'root' | 'fallback' | 'expired' } & Redirected)
  | ({ answer: 'redirect'; isQr: boolean; target: RedirectTarget } & Redirected);

export interface DecisionContext {
  workspaces: Pick<WorkspaceStates, 'refusalFor'>;
  blocks: Pick<DestinationBlocks, 'includes'>;
  /** What the default short host answers beside its links. */
  defaultHost: HostSettings;
}

const refuse = (step: Step, refusal: Refusal): Decision => ({ step, answer: 'refusal', refusal });

/** Decides in memory, without waiting. @param now in milliseconds */
export const decide = (ctx: DecisionContext, found: Found, now: number): Decision =>
  unlessBlocked(ctx, decideForLink(ctx, found, now));

/** Decides about a visitor of a host or a code that does not exist. */
export const decideMiss = (ctx: DecisionContext, host: HostSettings): Decision =>
  unlessBlocked(ctx, fallBack('code', host));

/** Also an address of the host, or for the time after a link's end, may lead to a blocked host. */
const unlessBlocked = ({ blocks }: DecisionContext, decision: Decision): Decision =>
  'location' in decision && blocks.includes(decision.location) ? refuse('blocked', 'blocked') : decision;

function decideForLink(ctx: DecisionContext, { host, target, wanted }: Found, now: number): Decision {
  if (host === 'gone') return refuse('host', 'erased');
  if (host === 'absent') return { step: 'host', answer: 'miss', host: NO_HOST };
  const settings = host ?? ctx.defaultHost;
  const refusal = ctx.workspaces.refusalFor(ownerOf(host, target));
  if (refusal) return refuse('host', refusal);
  const { path } = wanted;
  if (!path) return decideOtherPath(settings, wanted.pathname);
  if (target === 'gone') return refuse('code', 'erased');
  // Another workspace now owns the host: the link is absent there until its own change arrives.
  if (target === 'absent' || (host && host.workspace !== target.workspace))
    return { step: 'code', answer: 'miss', host: settings };
  const rest = path.rest === '' ? '' : target.forwardsPath ? forwardedPath(path.rest) : undefined;
  if (rest === undefined) return fallBack('code', settings);
  if (isBlocked(ctx, target)) return refuse('blocked', 'blocked');
  if (target.isArchived) return refuse('archived', 'gone');
  const closed = target.opening && closedBecause(target.opening, now);
  if (closed === 'scheduled') return refuse('availability', 'scheduled');
  const { isIndexable } = settings;
  if (closed) {
    const location = target.opening!.expired ?? settings.expired;
    if (location === null) return refuse('availability', 'expired');
    return { step: 'availability', answer: 'expired', location, isIndexable };
  }
  if (!target.destination) return fallBack('query', settings);
  const { location, qr } = locationFor(target.destination, wanted.query, rest);
  return { step: 'query', answer: 'redirect', location, isIndexable, isQr: qr || path.isQr, target };
}

function isBlocked({ blocks }: DecisionContext, { isBlocked: isLinkBlocked, destination }: RedirectTarget): boolean {
  return isLinkBlocked || (destination !== null && blocks.includes(destination.location));
}

/** Decides about a path that no link can have: nothing was looked up, and there is nothing to guess. */
function decideOtherPath(host: HostSettings, pathname: string): Decision {
  const file = fileAt(pathname, host);
  if (file) return { step: 'code', answer: 'file', file };
  if (file === null) return refuse('code', 'not_found');
  if (pathname !== '/' || host.root === null) return fallBack('code', host);
  return { step: 'code', answer: 'root', location: host.root, isIndexable: host.isIndexable };
}

function fallBack(step: Step, { fallback, isIndexable }: HostSettings): Decision {
  return fallback === null ? refuse(step, 'not_found') : { step, answer: 'fallback', location: fallback, isIndexable };
}

/** `undefined` where there is nothing. */
const ownerOf = (host: Host | null, target: RedirectTarget | Miss): string | undefined =>
  host?.workspace ?? (isMiss(target) ? undefined : target.workspace);

export const isMiss = (found: object | Miss | null | undefined): found is Miss => typeof found === 'string';
