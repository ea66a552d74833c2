import type { Caller } from '../gateway/callers.js';
import type { LoadRequest } from '../http-load.js';
import { groupOf, type Workspace } from './fill.js';

/** A kind of call: requests that a load repeats. */
export interface Call {
  requests: LoadRequest[];
  /** The same call where it has least to do. */
  baseline?: { name: string; requests: LoadRequest[] };
  /** The share of the usual number of requests; those of a rare call follow each other. */
  share: number;
  /** What the answer should be. */
  status: 'passed' | 'refused';
}

/** More than there are links to change, so that each change of a link brings another title. */
const DIFFERENT = 1000;
const times = <T>(one: (index: number) => T): T[] => Array.from({ length: DIFFERENT }, (_, index) => one(index));

type RequestOf = (workspace: Workspace, index: number) => Pick<LoadRequest, 'method' | 'path'> & { body?: object };

const CONTENT: Readonly<Record<string, RequestOf>> = {
  'list of links': () => ({ path: '/links' }),
  'list of links, page 60': () => ({ path: '/links?page=60' }),
  'list of links by title': () => ({ path: '/links?sort=title' }),
  'search for links': ({ links }, index) => ({ path: `/links?search=${groupOf(index, links)}` }),
  'one link': ({ ids }, index) => ({ path: `/links/${ids[index % ids.length]}` }),
  'creation of a link': (_, index) => ({
    method: 'POST',
    path: '/links',
    body: { destination_url: `https://example.com/new/${index}` },
  }),
  'change of a link': ({ ids }, index) => ({
    method: 'PATCH',
    path: `/links/${ids[index % ids.length]}`,
    body: { title: `Title ${index}` },
  }),
  'list of audit entries': () => ({ path: '/audit-logs' }),
  'list of audit entries, one action': () => ({ path: '/audit-logs?action=link.created&page=5' }),
};
const WHOLE_LOG: Readonly<Record<string, RequestOf>> = {
  'verification of an audit log': () => ({ path: '/audit-logs/verify' }),
  'export of an audit log': () => ({ path: '/audit-logs/export' }),
};

/** Every kind of call to a workspace of many links, with a small one as its baseline, and those without a workspace. */
export function callsOf([small, large]: [Workspace, Workspace], members: readonly Caller[]): Record<string, Call> {
  const inWorkspace = (workspace: Workspace, requestOf: RequestOf): LoadRequest[] =>
    times((index) => {
      const { path, method, body } = requestOf(workspace, index);
      const { headers, workspace: slug } = workspace.owner;
      return request({ method, path: `/api/v1/workspaces/${slug}${path}`, headers, body });
    });
  const baseline = (requestOf: RequestOf) => ({
    name: `${small.links} links`,
    requests: inWorkspace(small, requestOf),
  });
  const content = Object.entries(CONTENT).map(([name, requestOf]) => [
    name,
    { requests: inWorkspace(large, requestOf), baseline: baseline(requestOf), share: 1, status: 'passed' },
  ]);
  const wholeLog = Object.entries(WHOLE_LOG).map(([name, requestOf]) => [
    name,
    { requests: inWorkspace(large, requestOf), share: 0, status: 'passed' },
  ]);
  return Object.fromEntries([...content, ...wholeLog, ...Object.entries(publicCalls(members))]) as Record<string, Call>;
}

/** What is asked about an account must take as long without one. */
function publicCalls(members: readonly Caller[]): Record<string, Call> {
  const about = (path: string, emailOf: (index: number) => string, body: object = {}): LoadRequest[] =>
    members.map((_, index) => {
      const headers = { 'x-forwarded-for': `10.1.${index >> 8}.${index & 255}` };
      return request({ method: 'POST', path: `/api/v1${path}`, headers, body: { email: emailOf(index), ...body } });
    });
  const known = (index: number) => members[index]!.email;
  const unknown = (index: number) => `other-${index}@example.com`;
  const guess = { password: 'not the password of anyone' };
  const name = 'unknown address';
  return {
    'sign-in with a wrong password': {
      requests: about('/session', known, guess),
      baseline: { name, requests: about('/session', unknown, guess) },
      share: 1 / 2,
      status: 'refused',
    },
    'request of a password reset': {
      requests: about('/password-reset-request', known),
      baseline: { name, requests: about('/password-reset-request', unknown) },
      share: 1 / 2,
      status: 'passed',
    },
    'page of the console': { requests: times(() => ({ path: '/console/', headers: {} })), share: 1, status: 'passed' },
  };
}

const request = ({ body, headers, ...rest }: Omit<LoadRequest, 'body'> & { body?: object }): LoadRequest => ({
  ...rest,
  headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
  ...(body && { body: JSON.stringify(body) }),
});
