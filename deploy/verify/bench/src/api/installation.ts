import mongoose, { type Connection } from 'mongoose';
import { hashPassword } from '@waymark/auth/secrets/password';
import { backing, PROCESS_NAMES } from '@waymark/launcher/process-table';
import { waitFor } from '@waymark/testing/wait-for';
import { seedCallers, type Caller } from '../gateway/callers.js';
import { openEnvironment, type Stoppable } from '../install.js';

const MEMBERS = 500;
/** No limit is to be met. Mails wait, since nothing listens at the address of the SMTP server. */
const AUTH = {
  API_WORKSPACE_REQUESTS_PER_MINUTE: '10000000',
  SIGN_INS_PER_ADDRESS: '100000',
  SMTP_URL: 'smtp://127.0.0.1:1',
};

interface Answer {
  data: unknown;
}
type Call = <T>(caller: Caller, path: string, body?: object) => Promise<T>;

/** A whole system, members with a workspace each, and what a benchmark reads past the API. */
export interface Installation extends Stoppable {
  url: string;
  members: Caller[];
  /** Returns the `data` of an answer, and fails at an error. */
  call: Call;
  /** The database of the resource service. */
  links: Connection;
  pidsOf: Record<'waymark' | 'database', () => number[]>;
  /** Returns once the audit log has an entry for every event so far. */
  auditIsComplete: (workspace: string, entries: number) => Promise<void>;
}

export function installApi(): Promise<Installation> {
  return openEnvironment(async ({ stack, settings, lifecycle, start }) => {
    const system = await start([...PROCESS_NAMES], { auth: AUTH });
    const uriOf = (service: 'auth' | 'resource' | 'audit') => backing(settings, service)['MONGODB_URI']!;
    const members = await seedCallers(uriOf('auth'), MEMBERS, await hashPassword('the password of every member'));
    const open = async (service: 'resource' | 'audit') => {
      const connection = await mongoose.createConnection(uriOf(service)).asPromise();
      lifecycle.onStop(service, () => connection.close());
      return connection;
    };
    const [links, audit] = [await open('resource'), await open('audit')];
    const count = (workspace: string) => audit.collection('log_entries').countDocuments({ workspace });
    return {
      url: system.baseUrl,
      members,
      call: (...request) => callApi(system.baseUrl, ...request),
      links,
      pidsOf: { waymark: () => Object.values(system.pids), database: () => stack.database?.pids() ?? [] },
      auditIsComplete: async (workspace, entries) =>
        void (await waitFor('the audit log', async () => (await count(workspace)) >= entries, 600_000)),
    };
  });
}

async function callApi<T>(url: string, { workspace, headers }: Caller, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/api/v1/workspaces/${workspace}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return ((await response.json()) as Answer).data as T;
}
