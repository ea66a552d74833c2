import { isMiss, type Decision, type Found, type Step } from './decide.js';
import { closedBecause, type Opening } from '../targets/opening.js';
import type { RedirectTarget } from '../targets/target.js';

/** A visit that is explained. */
interface Explained {
  /** `null` for a host that cannot be one of links. */
  found: Found | null;
  decision: Decision;
  now: number;
}

/** What a step has decided: `result` for programs, `because` for people. */
interface Outcome {
  result: string;
  because: string;
}

/** Describes a step that the decision has reached. */
export function describeStep(step: Step, explained: Explained): Outcome {
  return DESCRIPTIONS[step](explained);
}

const targetOf = ({ found }: Explained) => found!.target as RedirectTarget;
const isStopped = ({ decision }: Explained, step: Step) => decision.step === step;

const DESCRIPTIONS: Readonly<Record<Step, (explained: Explained) => Outcome>> = {
  host: describeHost,
  code: describeCode,
  blocked: (explained) =>
    isStopped(explained, 'blocked')
      ? { result: 'yes', because: 'The operator has blocked the link, or the host that it leads to.' }
      : { result: 'no', because: 'The operator has blocked neither the link nor its destination.' },
  archived: (explained) =>
    isStopped(explained, 'archived')
      ? { result: 'yes', because: 'The link is archived.' }
      : { result: 'no', because: 'The link is active.' },
  availability: describeAvailability,
  query: describeQuery,
};

function describeHost({ found, decision }: Explained): Outcome {
  if (!found || found.host === 'absent') {
    return {
      result: 'unknown',
      because: 'The host is neither the default short host nor a verified domain of this workspace.',
    };
  }
  if (decision.step === 'host') return { result: 'suspended', because: 'The links of this workspace are not served.' };
  const { hostname } = found.wanted;
  if (hostname === null) return { result: 'default', because: 'It is the default short host.' };
  return { result: 'custom', because: `${hostname} is a verified domain of this workspace.` };
}

function describeCode({ found, decision }: Explained): Outcome {
  const { path } = found!.wanted;
  const { target } = found!;
  if (!path) return OTHER_PATHS[decision.answer] ?? { result: 'no_code', because: 'The path is not one of a link.' };
  if (isMiss(target))
    return { result: 'unknown', because: `No link of this workspace has the code ${path.shortCode} on this host.` };
  if (decision.step === 'code' && path.rest !== '') {
    const because = target.forwardsPath
      ? 'The path behind the code is too long, or not safe to pass on.'
      : 'The link does not pass on a path behind its code.';
    return { result: 'path_not_forwarded', because };
  }
  const isCurrent = target.keys[0]!.endsWith(`/${path.shortCode.toLowerCase()}`);
  return isCurrent
    ? { result: 'found', because: `${path.shortCode} is the code of a link.` }
    : { result: 'former', because: `${path.shortCode} is a former code of a link, which still leads there.` };
}

const OTHER_PATHS: Partial<Record<Decision['answer'], Outcome>> = {
  root: { result: 'root', because: 'The bare host leads to its root_url.' },
  file: { result: 'file', because: 'The path is a file of the host.' },
};

function describeAvailability(explained: Explained): Outcome {
  const { opening } = targetOf(explained);
  if (!opening) return { result: 'available', because: 'The link has no start, no end and no limit of scans.' };
  const closed = closedBecause(opening, explained.now);
  return { result: closed ?? 'available', because: BECAUSE[closed ?? 'available'](opening) };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
const scansOf = ({ scansCount, scansMax }: Opening): string =>
  `${Math.min(scansCount, scansMax)} of ${scansMax} scans are used`;

const BECAUSE = {
  scheduled: ({ startsAt }) => `The link opens at ${timeOf(startsAt)}.`,
  expired: ({ expiresAt, expired }) => `The link ended at ${timeOf(expiresAt)}. ${afterEnd(expired)}`,
  used_up: (opening) => `All ${opening.scansMax} scans are used. ${afterEnd(opening.expired)}`,
  available: (opening) => {
    const { startsAt, expiresAt, scansMax } = opening;
    const facts = [
      ...(startsAt > -Infinity ? [`it opened at ${timeOf(startsAt)}`] : []),
      ...(expiresAt < Infinity ? [`it ends at ${timeOf(expiresAt)}`] : []),
      ...(scansMax < Infinity ? [scansOf(opening)] : []),
    ];
    return `The link is open: ${facts.join(', ')}.`;
  },
} as const satisfies Record<string, (opening: Opening) => string>;

const afterEnd = (expired: string | null): string =>
  expired === null
    ? 'Visitors are sent to the expired_url of its host, or get a 410.'
    : 'Visitors are sent to its expired_url.';

const POLICIES = {
  append: 'Parameters of the visitor are added, and replace only UTM parameters',
  override: 'Parameters of the visitor replace those of the same name',
  drop: 'Parameters of the visitor are left out',
} as const;

function describeQuery(explained: Explained): Outcome {
  const { destination } = targetOf(explained);
  if (!destination) return { result: 'no_destination', because: 'The link has no usable destination.' };
  const { path, query } = explained.found!.wanted;
  const rest = path?.rest ? ` The path ${path.rest} is added.` : '';
  if (query === '') return { result: 'none', because: `The visitor has sent no parameters.${rest}` };
  return { result: destination.policy, because: `${POLICIES[destination.policy]}.${rest}` };
}
